"""How the server understands the arguments of the tools beyond the core."""

from typing import Any

import pytest

from server.evals.prompts import ExpectedCall
from server.evals.recording import Call
from server.evals.scoring import as_expected, understood_arguments
from server.evals.tool_runner import connect
from server.matching.service import Service
from server.tools.families import CHOOSABLE
from server.toolset.start import Start, profile_of

pytestmark = [pytest.mark.anyio]

ALL = Start(profile=profile_of(CHOOSABLE), dynamic=True)


async def is_right(service: Service, tool: str, arguments: dict[str, Any], expected: dict[str, Any]) -> bool:
    async with connect(service, ALL) as runner:
        outcome = await runner.call(tool, arguments)
        understood = understood_arguments(Call(tool=tool, arguments=arguments), outcome, runner.agents)
        return as_expected(understood, ExpectedCall(tool=tool, args=expected), runner.agents)


async def test_arguments_in_any_wording_are_right(service: Service) -> None:
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("recommend_agent", {"needs": ["undo", "picture"]}, {"needs": ["Vision", "Checkpoints"]}),
        ("recommend_agent", {"needs": ["undo"], "tier": "Pro"}, {"needs": ["Checkpoints"], "tier": "pro"}),
        ("feature_parity", {}, {}),
        ("feature_parity", {"category": "integration"}, {"category": "api-integration"}),
        ("feature_parity", {"agents": ["Gemini CLI", "claude code"]}, {"agents": ["claude-code", "gemini-cli"]}),
        ("feature_parity", {"tier": "FREE"}, {"tier": "free"}),
        ("match_capability", {"phrase": "undo"}, {"capability": "Checkpoints"}),
        ("match_capability", {"phrase": "undo", "top": 9}, {"capability": "Checkpoints"}),
        ("explain_match", {"phrase": "Undo!"}, {"phrase": "undo"}),
        ("explain_match", {"phrase": "undo", "capability": "vision"}, {"phrase": "undo", "capability": "Vision"}),
        ("catalog_status", {"staleAfterDays": 30}, {"staleAfterDays": 30}),
        ("capabilities", {"family": "match", "verbose": True}, {"family": "match"}),
        ("load_family", {"family": "match"}, {"family": "match"}),
        ("smart_load", {"intent": "match"}, {"family": "match"}),
    ]
    for tool, arguments, expected in cases:
        assert await is_right(service, tool, arguments, expected), tool


async def test_what_is_missing_more_or_another_is_wrong(service: Service) -> None:
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("recommend_agent", {"needs": ["undo"]}, {"needs": ["Vision", "Checkpoints"]}),
        ("recommend_agent", {"needs": ["undo", "picture"]}, {"needs": ["Checkpoints"]}),
        ("recommend_agent", {"needs": ["undo"]}, {"needs": ["Checkpoints"], "tier": "pro"}),
        ("feature_parity", {"tier": "pro"}, {}),
        ("feature_parity", {"agents": ["gemini-cli"]}, {}),
        ("match_capability", {"phrase": "picture"}, {"capability": "Checkpoints"}),
        ("match_capability", {"phrase": "undo"}, {"capability": "Checkpoints", "top": 5}),
        ("explain_match", {"phrase": "redo"}, {"phrase": "undo"}),
        ("explain_match", {"phrase": "undo"}, {"phrase": "undo", "capability": "Vision"}),
        ("catalog_status", {}, {"staleAfterDays": 30}),
        ("load_family", {"family": "match"}, {"family": "decide"}),
        ("load_family", {"family": "nothing"}, {}),
    ]
    for tool, arguments, expected in cases:
        assert not await is_right(service, tool, arguments, expected), tool


async def test_a_need_that_is_unclear_has_to_be_tried_again(service: Service) -> None:
    async with connect(service, ALL) as runner:
        clear = await runner.call("recommend_agent", {"needs": ["undo"]})
        unclear = await runner.call("recommend_agent", {"needs": ["undo", "zzz qqq"]})
    assert (clear.unresolved, unclear.unresolved) == (False, True)
