"""A tool that is one module and one line of the registry is everywhere that tools are."""

import json

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from server.matching.service import Service
from server.tools.families import FULL
from server.toolset import registry
from server.toolset.toolset import advertised
from tests.server.calls import MODES
from tests.server.snapshot_files import ACCEPT, complaint, listed
from tests.server.toolset.example_tool import TOOL
from tests.server.toolset.starts import answer, connected, manifest, names, started

asynchronous = pytest.mark.anyio
ANSWER = {"hungPictures": 2, "frame": "gilded"}


@pytest.fixture(autouse=True)
def one_line_in_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "TOOLS", (*registry.TOOLS, TOOL))


def dynamic(service: Service, mode: str, profile: str = "core") -> Client:
    return connected(service, mode, started(profile, dynamic=True))


@asynchronous
async def test_it_is_listed_and_called_under_the_profiles_of_its_family(
    subtests: pytest.Subtests, service: Service
) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            for profile in (FULL, "catalog", "match,catalog"):
                async with connected(service, mode, started(profile)) as client:
                    (shown,) = (tool for tool in (await client.list_tools()).tools if tool.name == TOOL.name)
                    assert shown == advertised(TOOL)
                    assert await answer(client, TOOL.name, {"frame": "gilded"}) == ANSWER


@asynchronous
async def test_it_is_counted(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with dynamic(service, mode) as client:
                document = await manifest(client)
                assert document["summary"].startswith("8 of 14 tools are advertised")
                assert " 6 more (" in document["to_describe_to_user"]
                assert (await answer(client, "capabilities", {"accept": "v1"}))["total"] == 14
            async with dynamic(service, mode, FULL) as client:
                assert len(await names(client)) == 14
                assert "all 10 agent-capability tools" in (await manifest(client))["to_describe_to_user"]


@asynchronous
async def test_it_is_described(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with dynamic(service, mode) as client:
                document = await manifest(client)
                drilled = await answer(
                    client, "capabilities", {"family": "catalog", "include_schema": True, "verbose": True}
                )
            assert {"name": TOOL.name, "family": "catalog", "loaded": False, "callable_now": False} in document["tools"]
            assert TOOL.name in next(family for family in document["families"] if family["name"] == "catalog")["tools"]
            assert drilled["tools"][-1]["docs"] == TOOL.docs
            assert (
                drilled["tools"][-1]["input_schema"]["properties"]["frame"]["description"]
                == "a gilded or a plain frame"
            )


@asynchronous
async def test_it_is_loaded_with_its_family(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with dynamic(service, mode) as client:
                loaded = await answer(client, "load_family", {"family": "catalog"})
                assert loaded["tools"][-1] == {
                    "name": TOOL.name,
                    "description": TOOL.description,
                    "inputSchema": advertised(TOOL).input_schema,
                }
                if mode == "legacy":
                    assert TOOL.name in await names(client)
                    assert await answer(client, TOOL.name, {"frame": "gilded"}) == ANSWER


@asynchronous
async def test_it_is_reached_through_call_tool(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with dynamic(service, mode) as client:
                through = {"name": TOOL.name, "arguments": {"frame": "gilded"}}
                assert await answer(client, "call_tool", through) == ANSWER


@asynchronous
async def test_its_name_is_known_while_it_is_not_loaded(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with dynamic(service, mode) as client:
                with pytest.raises(MCPError) as unloaded:
                    await client.call_tool(TOOL.name, {})
                with pytest.raises(MCPError) as misspelled:
                    await client.call_tool("pictures_counted", {})
            assert unloaded.value.error.code == METHOD_NOT_FOUND
            assert unloaded.value.error.data["family"] == "catalog"
            assert misspelled.value.error.data["nearest"][0] == TOOL.name


@asynchronous
async def test_it_is_found_by_its_own_words_alone(
    subtests: pytest.Subtests, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mode in MODES:
        for intent in ["see how many pictures hang in the gallery", TOOL.title, TOOL.name]:
            with subtests.test(mode=mode, intent=intent):
                async with dynamic(service, mode) as client:
                    found = await answer(client, "smart_load", {"intent": intent})
                assert (found["decision"], found["result"]["family"]) == ("resolved", "catalog")
                assert TOOL.name in [tool["name"] for tool in found["result"]["tools"]]
                with monkeypatch.context() as without_it:
                    without_it.setattr(registry, "TOOLS", registry.TOOLS[:-1])
                    async with dynamic(service, mode) as client:
                        without = await answer(client, "smart_load", {"intent": intent})
                assert without["matches"][0]["family"] != "catalog"


def test_its_snapshot_is_found_missing() -> None:
    said = complaint(TOOL.name, listed()[TOOL.name])
    assert said
    assert f"{TOOL.name}.json is missing" in said
    assert ACCEPT in said


def test_a_change_of_a_tool_is_shown_with_the_command_that_accepts_it() -> None:
    now = listed()["catalog_status"]
    changed = json.dumps(json.loads(now) | {"title": "Another"}, indent=2, sort_keys=True) + "\n"
    assert complaint("catalog_status", now) is None
    said = (complaint("catalog_status", changed) or "").splitlines()
    assert '-  "title": "Catalog status"' in said
    assert '+  "title": "Another"' in said
    assert said[-1].endswith(ACCEPT)
