"""Which of a conversation's calls counts as its first, and what a call through another tool counts as."""

from typing import Any

import pytest

from server.evals.prompts import Suite
from server.evals.recording import NO_CALL, Call, PromptResult, Recording
from server.evals.scoring import score
from server.evals.tool_runner import connect
from server.matching.service import Service
from server.toolset.start import Start
from tests.server.evals.judging import AMBIGUOUS, LOOKUP, UNDO, Made, prompt

pytestmark = [pytest.mark.anyio]

STATUS: Made = ("catalog_status", {})
SMART_LOAD: Made = ("smart_load", {"intent": "how fresh is the data"})
LOAD: Made = ("load_family", {"family": "catalog"})
MANIFEST: Made = ("capabilities", {})
DYNAMIC = Start(dynamic=True)


def through(tool: str, arguments: dict[str, Any]) -> Made:
    return ("call_tool", {"name": tool, "arguments": arguments})


async def judge(service: Service, tool: str | None, args: dict[str, Any], *calls: Made) -> PromptResult:
    made = tuple(Call(tool=name, arguments=arguments) for name, arguments in calls)
    async with connect(service, DYNAMIC) as runner:
        suite = Suite(prompts=(prompt(tool, args),))
        (result,) = (await score(suite, [Recording(input="asked", calls=made)], runner)).prompts
    return result


async def test_a_call_through_call_tool_counts_as_one_of_that_tool(service: Service) -> None:
    result = await judge(service, LOOKUP, UNDO, through(LOOKUP, UNDO))
    assert (result.called, result.right_tool, result.right_arguments) == (LOOKUP, True, True)
    result = await judge(service, "call_tool", {"name": "catalog_status"}, through(*STATUS))
    assert (result.called, result.right_arguments) == ("call_tool", True)
    result = await judge(service, LOOKUP, UNDO, ("call_tool", {"arguments": UNDO}), ("call_tool", "broken"))
    assert (result.called, result.right_tool) == ("call_tool", False)


async def test_a_load_is_a_step_and_no_first_call_unless_asked_for(service: Service) -> None:
    cases: list[Made] = [SMART_LOAD, LOAD, MANIFEST]
    for load in cases:
        result = await judge(service, "catalog_status", {}, load, through(*STATUS))
        assert (result.called, result.right_arguments, result.steps) == ("catalog_status", True, 2), load
    result = await judge(service, "catalog_status", {}, through(*LOAD), through(*STATUS))
    assert result.called == "catalog_status"
    result = await judge(service, "load_family", {"family": "catalog"}, LOAD, through(*STATUS))
    assert (result.called, result.right_arguments) == ("load_family", True)
    nothing = await judge(service, None, {}, SMART_LOAD)
    wanted = await judge(service, LOOKUP, UNDO, SMART_LOAD)
    assert (nothing.called, nothing.right_tool) == (NO_CALL, True)
    assert (wanted.called, wanted.right_tool, wanted.reached) == (NO_CALL, False, False)


async def test_a_tool_called_by_name_after_it_was_called_through_call_tool_is_a_retry(service: Service) -> None:
    assert (await judge(service, LOOKUP, UNDO, through(LOOKUP, AMBIGUOUS), (LOOKUP, UNDO))).retried


async def test_the_expected_tool_if_there_is_one_is_reached_by_a_later_call(service: Service) -> None:
    late = await judge(service, "catalog_status", {}, ("list_capabilities", {"agent": "claude-code"}), through(*STATUS))
    never = await judge(service, "catalog_status", {}, ("list_capabilities", {"agent": "claude-code"}))
    assert (late.right_tool, late.reached, never.reached) == (False, True, False)
    result = await judge(service, None, {}, SMART_LOAD)
    assert (result.reached, result.steps) == (None, None)
