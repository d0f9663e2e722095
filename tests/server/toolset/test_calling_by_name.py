from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, ErrorData

from server.matching.service import Service
from server.tools.families import META
from server.toolset.registry import TOOLS
from tests.server.calls import MODERN, MODES
from tests.server.toolset.starts import CALLS, answer, connected, names, rules, started
from tests.server.toolset.ways import ways

pytestmark = pytest.mark.anyio

UNLOADED = [tool for tool in TOOLS if tool.family in ("match", "decide", "catalog")]


async def refused(client: Client, tool: str, arguments: dict[str, Any] | None = None) -> ErrorData:
    with pytest.raises(MCPError) as caught:
        await client.call_tool(tool, arguments or {})
    return caught.value.error


async def test_a_loaded_tool_runs(subtests: pytest.Subtests, service: Service) -> None:
    for dynamic in [False, True]:
        with subtests.test(dynamic=dynamic):
            async with connected(service, MODERN, started("full", dynamic=dynamic)) as client:
                for tool in await names(client):
                    await answer(client, tool)


async def test_a_known_tool_that_is_not_loaded_is_no_method_and_its_family_is_named(
    subtests: pytest.Subtests, service: Service
) -> None:
    for dynamic in [False, True]:
        for tool in UNLOADED:
            with subtests.test(dynamic=dynamic, tool=tool.name):
                async with connected(service, MODERN, started(dynamic=dynamic)) as client:
                    error = await refused(client, tool.name, CALLS[tool.name])
                assert error.code == METHOD_NOT_FOUND == -32601
                assert (error.data["reason"], error.data["family"]) == ("not_loaded", tool.family)
                assert error.message.startswith(
                    f"tool '{tool.name}' belongs to the family '{tool.family}', which is not loaded; "
                )
                assert error.message.endswith("; or ".join(error.data["recovery"]))


async def test_the_ways_to_an_unloaded_tool_are_those_that_work_here(
    subtests: pytest.Subtests, service: Service
) -> None:
    for mode in MODES:
        for dynamic in [False, True]:
            with subtests.test(mode=mode, dynamic=dynamic):
                async with connected(service, mode, started(dynamic=dynamic)) as client:
                    error = await refused(client, "feature_parity")
                loaders = {"legacy": ["load_family", "call_tool"], "auto": ["call_tool"]}[mode]
                assert list(ways(error.data["recovery"])) == [*(loaders if dynamic else []), "restart"]


async def test_each_way_that_is_named_leads_to_a_call_that_works(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        for dynamic in [False, True]:
            for tool in UNLOADED:
                with subtests.test(mode=mode, dynamic=dynamic, tool=tool.name):
                    async with connected(service, mode, started(dynamic=dynamic)) as client:
                        named = ways((await refused(client, tool.name)).data["recovery"])
                    for kind, way in named.items():
                        for profile in way.profiles or ["core"]:
                            async with connected(service, mode, started(profile, dynamic=dynamic)) as client:
                                if kind != "restart":
                                    await answer(client, kind, way.filled(object=CALLS[tool.name]))
                                if kind != "call_tool":
                                    await answer(client, tool.name)


async def test_a_tool_that_is_not_permitted_is_told_with_the_permitted_families(
    subtests: pytest.Subtests, service: Service
) -> None:
    for dynamic in [False, True]:
        with subtests.test(dynamic=dynamic):
            start = started("full", dynamic=dynamic, allowlist=rules(the_caller=["core", "decide"]))
            async with connected(service, MODERN, start) as client:
                error = await refused(client, "catalog_status")
            permitted = ["core", "decide", *([META] if dynamic else [])]
            assert error.code == INVALID_PARAMS == -32602
            assert error.data == {"reason": "not_permitted", "family": "catalog", "permitted_families": permitted}
            assert "'catalog_status' belongs to the family 'catalog', which this caller may not use" in error.message
            assert f"permitted families: {', '.join(permitted)};" in error.message


async def test_a_permitted_tool_that_is_not_loaded_is_not_confused_with_a_forbidden_one(
    subtests: pytest.Subtests, service: Service
) -> None:
    for dynamic in [False, True]:
        with subtests.test(dynamic=dynamic):
            start = started(dynamic=dynamic, allowlist=rules(the_caller=["core", "decide"]))
            async with connected(service, MODERN, start) as client:
                assert (await refused(client, "feature_parity")).data["reason"] == "not_loaded"
                assert (await refused(client, "explain_match")).data["reason"] == "not_permitted"


async def test_an_unknown_name_is_answered_with_the_nearest_by_spelling_and_by_meaning(
    subtests: pytest.Subtests, service: Service
) -> None:
    cases = [
        ("look_up_capabilty", "lookup_capability"),
        ("Feature-Parity", "feature_parity"),
        ("explain match", "explain_match"),
        ("choose_an_agent", "recommend_agent"),
    ]
    for dynamic in [False, True]:
        for name, nearest in cases:
            with subtests.test(dynamic=dynamic, name=name, nearest=nearest):
                async with connected(service, MODERN, started(dynamic=dynamic)) as client:
                    error = await refused(client, name)
                assert error.code == INVALID_PARAMS
                assert (error.data["reason"], error.data["nearest"][0], len(error.data["nearest"])) == (
                    "unknown_tool",
                    nearest,
                    3,
                )
                assert f"unknown tool '{name}'" in error.message
                assert f"nearest: {', '.join(error.data['nearest'])};" in error.message


async def test_a_name_of_other_words_is_answered_with_the_tool_that_it_means(
    subtests: pytest.Subtests, shipped_service: Service
) -> None:
    cases = [
        ("freshness_report", "catalog_status"),
        ("suggest_best_assistant", "recommend_agent"),
        ("citations", "get_sources"),
    ]
    for name, nearest in cases:
        with subtests.test(name=name, nearest=nearest):
            async with connected(shipped_service, MODERN, started()) as client:
                assert nearest in (await refused(client, name)).data["nearest"]


async def test_a_tool_that_loads_others_is_unknown_without_dynamic_tools(
    subtests: pytest.Subtests, service: Service
) -> None:
    for tool in [tool.name for tool in TOOLS if tool.family == META]:
        with subtests.test(tool=tool):
            async with connected(service, MODERN, started("full")) as client:
                error = await refused(client, tool)
            assert (error.code, error.data["reason"]) == (INVALID_PARAMS, "unknown_tool")
            assert not {tool.name for tool in TOOLS if tool.family == META} & set(error.data["nearest"])


async def test_a_name_is_refused_through_call_tool_as_it_is_by_itself(service: Service) -> None:
    start = started(dynamic=True, allowlist=rules(the_caller=["core"]))
    async with connected(service, MODERN, start) as client:
        for name in ("catalog_status", "no_such_tool"):
            assert await refused(client, "call_tool", {"name": name}) == await refused(client, name)
