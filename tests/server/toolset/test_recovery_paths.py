import os
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from server.matching.service import Service
from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from server.toolset.registry import TOOLS
from tests.server.calls import MODERN, MODES
from tests.server.toolset.starts import CALLS, answer, connected, manifest, names, started
from tests.server.toolset.ways import Way, ways, ways_of

pytestmark = pytest.mark.anyio
each_mode = pytest.mark.parametrize("mode", MODES)

UNLOADED = {family: [tool for tool in TOOLS if tool.family == family] for family in ("match", "decide", "catalog")}

INTENTS = {
    "match": "tell me what made you think I was asking about hooks",
    "decide": "help me settle on one assistant for a team that needs vision and checkpoints",
    "catalog": "are your facts still recent or out of date",
}


async def read(client: Client) -> dict[str, Way]:
    return ways_of((await manifest(client))["summary"])


async def expected(service: Service, tool: str) -> dict[str, Any]:
    """Return what the tool answers where it is loaded from the start."""
    async with connected(service, "auto", started("full")) as client:
        return await answer(client, tool)


async def use(client: Client, mode: str, loaded: dict[str, Any]) -> None:
    """Call each tool that was loaded: by its name where it now is listed, else as the answer says."""
    assert loaded["ready"] is True
    assert loaded["callBy"] == ("name" if mode == "legacy" else "call_tool")
    for tool in loaded["tools"]:
        assert tool["inputSchema"]["type"] == "object"
        if loaded["callBy"] == "name":
            assert tool["name"] in await names(client)
            await answer(client, tool["name"])
    (said,) = ways([loaded["howToCall"]]).values()
    assert said.kind == "call_tool"
    await answer(client, "call_tool", said.filled(object=CALLS[said.arguments["name"].strip("'")]))


async def test_four_ways_are_named_with_dynamic_tools(service: Service) -> None:
    async with connected(service, MODERN, started(dynamic=True)) as client:
        assert list(await read(client)) == ["restart", "load_family", "smart_load", "call_tool"]


async def test_the_restart_alone_is_named_without_dynamic_tools(service: Service) -> None:
    async with connected(service, MODERN, started()) as client:
        document = await manifest(client)
    assert list(ways_of(document["summary"])) == ["restart"]
    assert "load" not in document["summary"].partition("choose one of: ")[2]
    assert document["to_describe_to_user"].endswith(
        " are available on demand — you can restart the server with a different profile."
    )


async def test_a_restart_with_any_profile_it_names_makes_the_tools_callable(
    subtests: pytest.Subtests, service: Service
) -> None:
    for dynamic in [False, True]:
        for family, tools in UNLOADED.items():
            with subtests.test(dynamic=dynamic, family=family):
                async with connected(service, MODERN, started(dynamic=dynamic)) as client:
                    profiles = (await read(client))["restart"].profiles_for(family)
                assert profiles == [family, "full"]
                for profile in profiles:
                    async with connected(service, MODERN, started(profile, dynamic=dynamic)) as client:
                        for tool in tools:
                            assert tool.name in await names(client)
                            await answer(client, tool.name)


@each_mode
@pytest.mark.processes
async def test_the_restart_is_one_of_the_command_itself(service: Service, mode: str) -> None:
    async with connected(service, mode, started()) as client:
        profile = (await read(client))["restart"].profiles_for("decide")[0]
    process = StdioServerParameters(
        command=sys.executable,
        args=["-m", "agent_capabilities", "serve", "--profile", profile],
        cwd=str(shipped_data().parent),
        env={CACHE_VARIABLE: os.environ[CACHE_VARIABLE]},
    )
    async with Client(process, mode=mode) as client:
        assert await answer(client, "feature_parity")


async def test_load_family_leads_to_working_calls(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        for family, tools in UNLOADED.items():
            with subtests.test(mode=mode, family=family):
                async with connected(service, mode, started(dynamic=True)) as client:
                    way = (await read(client))["load_family"]
                    loaded = await answer(client, way.kind, way.filled(name=family))
                    assert [tool["name"] for tool in loaded["tools"]] == [tool.name for tool in tools]
                    await use(client, mode, loaded)


async def test_smart_load_leads_from_plain_words_to_working_calls(
    subtests: pytest.Subtests, shipped_service: Service
) -> None:
    for mode in MODES:
        for family in UNLOADED:
            with subtests.test(mode=mode, family=family):
                async with connected(shipped_service, mode, started(dynamic=True)) as client:
                    way = (await read(client))["smart_load"]
                    chosen = await answer(client, way.kind, way.filled(**{"plain language": INTENTS[family]}))
                    assert (chosen["decision"], chosen["result"]["family"]) == ("resolved", family)
                    await use(client, mode, chosen["result"])


async def test_call_tool_works_for_a_client_that_never_lists_again(
    subtests: pytest.Subtests, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in [tool for tools in UNLOADED.values() for tool in tools]:
        with subtests.test(tool=tool.name):
            async with connected(service, MODERN, started(dynamic=True)) as client:
                assert tool.name not in await names(client)
                way = (await read(client))["call_tool"]
                arguments = way.filled(tool=tool.name, object=CALLS[tool.name])

                async def refuse(**_: Any) -> None:
                    pytest.fail("tools were listed again")

                monkeypatch.setattr(client.session, "list_tools", refuse)
                before = await answer(client, way.kind, arguments)
                await answer(client, "load_family", {"family": tool.family})
                after = await answer(client, way.kind, arguments)
            assert before == after == await expected(service, tool.name)
