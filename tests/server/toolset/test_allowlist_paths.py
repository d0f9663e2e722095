import json
import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from mcp import Client

from server.matching.service import Service
from server.tools.definition import ServiceTool, Tool
from server.tools.families import FAMILIES, META
from server.tools.meta.session import SessionTool
from server.toolset import registry
from tests.server.calls import MODERN, MODES
from tests.server.toolset.permissions import (
    RULES,
    Rule,
    calls,
    forbidden,
    loads,
    named,
    outcome,
    permitted,
    start_for,
)
from tests.server.toolset.starts import CALLS, answer, connected, manifest

pytestmark = [pytest.mark.anyio]
PROFILES = ("core", "full")


async def everything_tried(client: Client) -> list[Any]:
    """Try every tool by every path, each loaded first where it can be."""
    ways = [way for tool in registry.TOOLS for way in (*loads(tool), *calls(tool))]
    return [await outcome(client, *way) for way in ways]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of tools, in the order in which their handlers ran."""
    names_of: list[str] = []

    def recording(tool: ServiceTool | SessionTool) -> Tool:
        def handler(of_whom: Any, request: Any) -> Any:
            names_of.append(tool.name)
            return tool.handler(of_whom, request)

        return replace(tool, handler=handler)

    monkeypatch.setattr(registry, "TOOLS", tuple(recording(tool) for tool in registry.TOOLS))
    return names_of


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
async def test_exactly_what_is_permitted_runs_by_whatever_path(service: Service, rule: Rule, ran: list[str]) -> None:
    for mode, profile in (("legacy", "full"), (MODERN, "core")):
        ran.clear()
        async with connected(service, mode, start_for(rule, profile)) as client:
            await everything_tried(client)
        assert set(ran) == {tool.name for tool in registry.TOOLS if tool.family in permitted(rule)}, (mode, profile)


async def test_what_is_listed_is_permitted_before_and_after_trying_to_load_all(
    subtests: pytest.Subtests, service: Service
) -> None:
    for name, rule in RULES.items():
        with subtests.test(rule=name):
            for mode in MODES:
                for profile, dynamic in product(PROFILES, (True, False)):
                    async with connected(service, mode, start_for(rule, profile, dynamic=dynamic)) as client:
                        listed = [await client.list_tools()]
                        for family in FAMILIES:
                            await outcome(client, "load_family", {"family": family})
                        listed.append(await client.list_tools())
                        everything = dynamic and (mode == "legacy" or profile == "full")
                        assert named(rule, [page.model_dump() for page in listed], client.instructions) == [], (
                            mode,
                            profile,
                            dynamic,
                        )
                        assert not everything or {tool.name for tool in listed[1].tools} == {
                            tool.name for tool in registry.TOOLS if tool.family in permitted(rule)
                        }, (mode, profile, dynamic)


async def test_no_document_shows_what_is_not_permitted(subtests: pytest.Subtests, service: Service) -> None:
    for profile in PROFILES:
        for name, rule in RULES.items():
            with subtests.test(profile=profile, rule=name):
                deep: list[dict[str, Any]] = [
                    {"verbose": True, "include_schema": True},
                    {"verbose": True},
                    {"include_schema": True},
                ]
                async with connected(service, MODERN, start_for(rule, profile)) as client:
                    documents = [
                        await manifest(client),
                        *[await answer(client, "capabilities", ask) for ask in ({}, *deep)],
                    ]
                    documents += [
                        await answer(client, "capabilities", {"accept": version}) for version in ("v1", "v2", "v3")
                    ]
                    assert documents[0]["agent_permitted_families"] == list(permitted(rule))
                    assert named(rule, documents) == []
                    for family in FAMILIES:
                        drilled = await outcome(client, "capabilities", {"family": family, "verbose": True})
                        assert drilled["is_error"] is (family not in permitted(rule))
                        assert named(rule, drilled) == []


async def test_no_family_that_is_not_permitted_is_loaded_or_matched(
    subtests: pytest.Subtests, service: Service
) -> None:
    for name, rule in RULES.items():
        with subtests.test(rule=name):
            async with connected(service, MODERN, start_for(rule)) as client:
                for tool in registry.TOOLS:
                    for way in loads(tool):
                        came = (await outcome(client, *way))["structured_content"] or {}
                        came.pop("query", None)
                        families = re.findall(r'"family": "(\w+)"', json.dumps(came))
                        assert set(families) <= set(permitted(rule))
                        assert named(rule, came) == []


async def test_a_direct_call_is_told_that_it_is_not_permitted(subtests: pytest.Subtests, service: Service) -> None:
    for dynamic in [True, False]:
        for name, rule in RULES.items():
            with subtests.test(dynamic=dynamic, rule=name):
                async with connected(service, MODERN, start_for(rule, "full", dynamic=dynamic)) as client:
                    for tool in forbidden(rule):
                        came = [await outcome(client, *way) for way in calls(tool)[: 2 if dynamic else 1]]
                        assert [error["data"]["reason"] for error in came] == ["not_permitted"] * len(came)
                        told = set(came[0]["data"]["permitted_families"])
                        assert told == set(permitted(rule)) - (set() if dynamic else {META})
                        assert named(rule, [error["data"] for error in came]) == []


async def test_the_nearest_names_of_an_unknown_one_are_permitted(subtests: pytest.Subtests, service: Service) -> None:
    for name, rule in RULES.items():
        with subtests.test(rule=name):
            async with connected(service, MODERN, start_for(rule)) as client:
                for tool in registry.TOOLS:
                    for wrong in (f"{tool.name}s", tool.name.title(), f" {tool.name}", tool.title):
                        for way in ((wrong, CALLS[tool.name]), ("call_tool", {"name": wrong})):
                            error = await outcome(client, *way)
                            assert error["data"]["reason"] == "unknown_tool"
                            assert named(rule, error["data"], error["message"].partition("; known: ")[2]) == []
