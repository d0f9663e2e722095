"""Invariants of every answer of every tool, in every decision."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult
from mcp_types import Tool as ListedTool

from server.matching.service import Service
from server.protocol.server import build_server
from server.toolset.registry import TOOLS
from server.toolset.start import Start, parse_profile
from tests.server.calls import MODERN, MODES, text_of

PHRASES = ("Checkpoints", "mcp", "Vision", "restore what was there", "history", "zzz qqq", "x" * 300)
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    *(("lookup_capability", {"agent": agent, "capability": p}) for agent in ("claude", "gemini") for p in PHRASES),
    *(("compare_capability", {"capability": p}) for p in PHRASES),
    *(("get_sources", {"capability": p}) for p in PHRASES),
    ("get_sources", {"agent": "gemini"}),
    ("list_capabilities", {"agent": "claude"}),
    ("list_capabilities", {"category": "performance"}),
    *(("match_capability", {"phrase": p}) for p in PHRASES),
    *(("explain_match", {"phrase": p, "capability": "Vision"}) for p in PHRASES),
    ("recommend_agent", {"needs": list(PHRASES), "tier": "free"}),
    ("recommend_agent", {"needs": ["zzz qqq"]}),
    ("feature_parity", {}),
    ("feature_parity", {"category": "performance", "tier": "free", "agents": ["claude"]}),
    ("catalog_status", {}),
    ("capabilities", {}),
    *(("capabilities", {"accept": version}) for version in ("v1", "v2", "v9")),
    ("capabilities", {"family": "match", "include_schema": True, "verbose": True}),
    ("load_family", {"family": "decide"}),
    *(("smart_load", {"intent": p}) for p in PHRASES),
    ("call_tool", {"name": "lookup_capability", "arguments": {"agent": "claude", "capability": "zzz qqq"}}),
]
EVERYTHING = Start(profile=parse_profile("full"), dynamic=True)
MATCHED = ("capability", "phrase", "needs", "intent")
"""Arguments that are matched, so that it matters how well that can be done."""

pytestmark = [pytest.mark.anyio]


Answers = list[tuple[str, dict[str, Any], CallToolResult]]


@pytest.fixture(params=["service", "degraded_service"])
def either(request: pytest.FixtureRequest) -> Service:
    service: Service = request.getfixturevalue(request.param)
    return service


async def asked(service: Service, mode: str) -> tuple[Answers, list[ListedTool]]:
    async with Client(build_server(service, start=EVERYTHING), mode=mode) as client:
        answers = [(tool, arguments, await client.call_tool(tool, arguments)) for tool, arguments in QUESTIONS]
        return answers, (await client.list_tools()).tools


def nulls(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return any(map(nulls, value)) if isinstance(value, list) else value is None


def test_every_tool_is_asked() -> None:
    assert {tool for tool, _ in QUESTIONS} == {tool.name for tool in TOOLS}


async def test_every_answer_is_whole(either: Service) -> None:
    """The text is the structured content, which is of the advertised shape and holds no null; all decisions occur."""
    for mode in MODES:
        answers, listed = await asked(either, mode)
        schemas = {tool.name: Draft202012Validator(tool.output_schema or False) for tool in listed}
        decisions = set()
        for tool, arguments, result in answers:
            content = result.structured_content
            assert content is not None, (mode, tool, arguments)
            assert json.loads(text_of(result)) == content, (mode, tool, arguments)
            assert [error.message for error in schemas[tool].iter_errors(content)] == [], (mode, tool, arguments)
            assert not nulls(content), (mode, tool, arguments)
            decisions.add(content.get("decision"))
        assert decisions == {None, "resolved", "ambiguous", "no_match"}, mode


async def test_degraded_stands_in_answers_to_phrases_and_only_in_degraded_mode(either: Service) -> None:
    expected = True if either.matchers.get().is_degraded else None
    answers, _ = await asked(either, MODERN)
    for tool, arguments, result in answers:
        content = result.structured_content
        assert content is not None, tool
        if tool == "catalog_status":  # It is asked for the state, so that it also says when it is not degraded.
            assert content["degraded"] is bool(expected)
            continue
        matched = any(name in arguments.get("arguments", arguments) for name in MATCHED)
        assert content.get("degraded") is (expected if matched else None), (tool, arguments)


async def test_a_long_phrase_is_repeated_in_part(either: Service) -> None:
    for mode in MODES:
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            result = await client.call_tool("compare_capability", {"capability": "x" * 100_000})
        assert result.structured_content is not None, mode
        assert result.structured_content["query"] == "x" * 197 + "...", mode
