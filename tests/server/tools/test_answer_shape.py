"""Invariants of every answer of every tool, in every decision."""

import json
from typing import Any

import jsonschema
import pytest
from mcp import Client

from server.matching.service import Service
from server.protocol.server import build_server
from server.toolset.registry import TOOLS
from server.toolset.start import Start, parse_profile
from tests.server.calls import MODES, text_of

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


@pytest.fixture(params=["service", "degraded_service"])
def either(request: pytest.FixtureRequest) -> Service:
    service: Service = request.getfixturevalue(request.param)
    return service


def nulls(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return any(map(nulls, value)) if isinstance(value, list) else value is None


def test_every_tool_is_asked() -> None:
    assert {tool for tool, _ in QUESTIONS} == {tool.name for tool in TOOLS}


async def test_every_decision_is_among_the_answers(either: Service) -> None:
    for mode in MODES:
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            answers = [(await client.call_tool(tool, arguments)).structured_content for tool, arguments in QUESTIONS]
        assert {answer.get("decision") for answer in answers if answer} == {
            None,
            "resolved",
            "ambiguous",
            "no_match",
        }, mode


async def test_the_text_is_the_structured_content(either: Service) -> None:
    for mode in MODES:
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            for tool, arguments in QUESTIONS:
                result = await client.call_tool(tool, arguments)
                assert json.loads(text_of(result)) == result.structured_content, (mode, tool, arguments)


async def test_every_answer_is_of_the_advertised_shape(either: Service, subtests: pytest.Subtests) -> None:
    for mode in MODES:
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            for tool, arguments in QUESTIONS:
                result = await client.call_tool(tool, arguments)
                with subtests.test(mode=mode, tool=tool, arguments=arguments):
                    jsonschema.validate(result.structured_content, schemas[tool] or False)


async def test_no_answer_has_a_null(either: Service) -> None:
    for mode in MODES:
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            for tool, arguments in QUESTIONS:
                result = await client.call_tool(tool, arguments)
                assert not nulls(result.structured_content), (mode, tool, arguments)


async def test_degraded_stands_in_answers_to_phrases_and_only_in_degraded_mode(either: Service) -> None:
    for mode in MODES:
        expected = True if either.matchers.get().is_degraded else None
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            for tool, arguments in QUESTIONS:
                content = (await client.call_tool(tool, arguments)).structured_content
                assert content is not None, (mode, tool)
                if tool == "catalog_status":  # It is asked for the state, so that it also says when it is not degraded.
                    assert content["degraded"] is bool(expected), mode
                    continue
                matched = any(name in arguments.get("arguments", arguments) for name in MATCHED)
                assert content.get("degraded") is (expected if matched else None), (mode, tool, arguments)


async def test_a_long_phrase_is_repeated_in_part(either: Service) -> None:
    for mode in MODES:
        async with Client(build_server(either, start=EVERYTHING), mode=mode) as client:
            result = await client.call_tool("compare_capability", {"capability": "x" * 100_000})
        assert result.structured_content is not None, mode
        assert result.structured_content["query"] == "x" * 197 + "...", mode
