"""Metrics over several prompts, and what else a run's results say."""

from typing import Any

import pytest

from server.evals.prompts import Suite
from server.evals.recording import NO_CALL, Recording
from server.evals.results import Results, metrics_over
from server.evals.scoring import score
from server.evals.tool_runner import connect
from server.matching.service import Service

pytestmark = [pytest.mark.anyio]

LISTED = {"tool": "list_capabilities", "arguments": {"agent": "claude-code"}}
WRONG = {"tool": "list_capabilities", "arguments": {"agent": "gemini-cli"}}
LOOKUP = {"tool": "lookup_capability", "arguments": {"agent": "nobody", "capability": "x"}}


def asked(text: str, stratum: str = "a", **more: Any) -> dict[str, Any]:
    expected = {"expectedTool": "list_capabilities", "expectedArgs": {"agent": "claude-code"}}
    return {"input": text, "stratum": stratum} | expected | more


def none(text: str, stratum: str = "b") -> dict[str, Any]:
    return asked(text, stratum, expectedTool=None, expectedArgs={})


def recorded(text: str, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"input": text, "calls": calls} | more


async def scored(service: Service, suite: dict[str, Any], *lines: dict[str, Any], **baseline: int) -> Results:
    async with connect(service) as runner:
        recordings = [Recording.model_validate(line) for line in lines]
        return await score(Suite.model_validate(suite), recordings, runner, baseline)


async def test_the_metrics_are_shares_of_the_prompts(service: Service) -> None:
    suite = {"prompts": [asked("p"), asked("q"), asked("r"), none("s")]}
    lines = [recorded("p", LISTED), recorded("q", WRONG), recorded("r", LOOKUP, LOOKUP), recorded("s")]
    found = (await scored(service, suite, *lines)).metrics
    assert (found.prompts, found.invocation_accuracy, found.argument_accuracy, found.retry_rate) == (
        4,
        3 / 4,
        1 / 3,
        1 / 4,
    )


async def test_prompts_that_expect_no_call_have_no_argument_accuracy(service: Service) -> None:
    found = await scored(service, {"prompts": [none("s")]}, recorded("s"))
    assert (found.metrics.invocation_accuracy, found.metrics.argument_accuracy) == (1.0, None)


def test_over_nothing_there_are_no_metrics() -> None:
    found = metrics_over([], {})
    shares = (found.invocation_accuracy, found.argument_accuracy, found.retry_rate, found.token_ratio)
    assert (found.prompts, shares) == (0, (None, None, None, None))


async def test_a_conversation_that_failed_is_wrong_whatever_it_called_until_then(service: Service) -> None:
    lines = [recorded("p", LISTED, ending="failed"), recorded("s", ending="failed")]
    found = (await scored(service, {"prompts": [asked("p"), none("s")]}, *lines)).metrics
    assert (found.invocation_accuracy, found.argument_accuracy) == (0, 0)


async def test_the_token_ratio_is_of_the_sums_and_not_of_single_prompts(service: Service) -> None:
    suite = {"prompts": [asked("p"), asked("q")]}
    lines = [recorded("p", tokensIn=90, tokensOut=10), recorded("q", tokensIn=1, tokensOut=0)]
    found = await scored(service, suite, *lines, p=200, q=1000)
    assert found.metrics.token_ratio == 101 / 1200


async def test_without_a_count_or_a_baseline_there_is_no_token_ratio(service: Service) -> None:
    suite = {"prompts": [asked("p"), asked("q", "b")]}
    lines = [recorded("p", tokensIn=90, tokensOut=10), recorded("q", tokensIn=1)]
    found = await scored(service, suite, *lines, p=200, q=1000)
    assert found.metrics.token_ratio is None
    assert {name: each.token_ratio for name, each in found.strata.items()} == {"a": 0.5, "b": None}
    found = await scored(service, {"prompts": [asked("p")]}, recorded("p", tokensIn=90, tokensOut=10))
    assert found.metrics.token_ratio is None


async def test_strata_are_in_alphabetical_order_with_metrics_of_their_own(service: Service) -> None:
    suite = {"prompts": [asked("p", "z"), asked("q", "m"), asked("r", "z")]}
    lines = [recorded("p", LISTED), recorded("q"), recorded("r")]
    strata = (await scored(service, suite, *lines)).strata
    assert {name: (each.prompts, each.invocation_accuracy) for name, each in strata.items()} == {
        "m": (1, 0),
        "z": (2, 0.5),
    }
    assert list(strata) == ["m", "z"]


async def test_the_confusion_counts_expected_and_called_tools_but_no_alternatives(service: Service) -> None:
    suite = {"prompts": [asked("p"), asked("q"), asked("r"), none("s"), none("t")]}
    lines = [recorded("p", LISTED), recorded("q", WRONG), recorded("r"), recorded("s"), recorded("t", LOOKUP)]
    assert list((await scored(service, suite, *lines)).confusion.items()) == [
        (("list_capabilities", "list_capabilities"), 2),
        (("list_capabilities", NO_CALL), 1),
        ((NO_CALL, "lookup_capability"), 1),
        ((NO_CALL, NO_CALL), 1),
    ]
    other = [{"tool": "list_capabilities", "args": {"agent": "claude-code"}}]
    expected = asked("p", expectedTool="get_sources", alternatives=other)
    found = await scored(service, {"prompts": [expected]}, recorded("p", LISTED))
    assert found.metrics.argument_accuracy == 1
    assert found.confusion == {("list_capabilities", "list_capabilities"): 1}


async def test_results_stand_in_the_order_of_prompts_and_misses_by_weight(service: Service) -> None:
    suite = {"prompts": [asked("args"), asked("right"), none("called"), asked("silent"), none("still")]}
    lines = [recorded("args", WRONG), recorded("right", LISTED), recorded("called", LISTED), recorded("silent")]
    misses = (await scored(service, suite, *lines, recorded("still"))).misses
    assert [result.prompt.input for result in misses] == ["called", "silent", "args"]
    suite = {"prompts": [asked("p"), asked("q")]}
    found = await scored(service, suite, recorded("q"), recorded("p"))
    assert [result.prompt.input for result in found.prompts] == ["p", "q"]


async def test_what_was_not_recorded_is_missing_and_not_counted(service: Service) -> None:
    scenario = {"name": "tour", "input": "walk", "calls": [1, 2]}
    suite = {"prompts": [asked("p"), asked("q")], "scenarios": [scenario]}
    found = await scored(service, suite, recorded("p", LISTED), recorded("of no suite"))
    assert (found.missing, found.metrics.prompts, found.metrics.invocation_accuracy) == (["q", "walk"], 1, 1)


async def test_a_scenario_is_within_its_range_at_both_ends(service: Service) -> None:
    for calls, within in [(0, False), (1, True), (2, True), (3, False)]:
        suite = {"prompts": [asked("p")], "scenarios": [{"name": "tour", "input": "walk", "calls": [1, 2]}]}
        found = await scored(service, suite, recorded("walk", *[LISTED] * calls))
        (tour,) = found.scenarios
        assert (tour.name, tour.calls, tour.within) == ("tour", calls, within), calls
        assert found.metrics.prompts == 0, calls
