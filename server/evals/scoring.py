"""Scores recordings: runs every call on the server and compares what the server understood with the expected call."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from server.evals.formats.prompts import ExpectedCall, Prompt, Suite
from server.evals.formats.recording import Recording
from server.evals.formats.results import PromptResult, Results, ScenarioResult
from server.evals.tool_runner import Outcome, ToolRunner


async def score(
    suite: Suite, recordings: Iterable[Recording], runner: ToolRunner, baseline: Mapping[str, int] | None = None
) -> Results:
    """Score recordings.

    Args:
        suite: the prompts and their expected calls.
        recordings: what callers did; prompts that are not in the suite are ignored.
        runner: the server that runs each call.
        baseline: tokens of the data files that answer each prompt, by its input; None gives no token ratio.
    """
    by_input = {recording.input: recording for recording in recordings}
    prompts = [
        await _score_prompt(prompt, by_input[prompt.input], runner)
        for prompt in suite.prompts
        if prompt.input in by_input
    ]
    scenarios = [
        ScenarioResult(scenario.name, len(by_input[scenario.input].calls), *scenario.calls)
        for scenario in suite.scenarios
        if scenario.input in by_input
    ]
    missing = [text for text in suite.inputs if text not in by_input]
    return Results(prompts, scenarios, missing, baseline or {})


async def _score_prompt(prompt: Prompt, recording: Recording, runner: ToolRunner) -> PromptResult:
    outcomes = [await runner.call(call.tool, call.arguments) for call in recording.calls]
    first = recording.calls[0].tool if recording.calls else None
    understood = understood_arguments(outcomes[0], runner.agents) if outcomes else {}
    candidates = [expected for expected in prompt.right_calls if expected.tool == first]
    completed = recording.ending != "failed"
    right_arguments = completed and any(
        first is None or as_expected(understood, expected, runner.agents) for expected in candidates
    )
    return PromptResult(
        prompt=prompt,
        recording=recording,
        right_tool=completed and bool(candidates),
        right_arguments=right_arguments if prompt.expected_tool is not None else None,
        retried=_retried([call.tool for call in recording.calls], outcomes),
        understood=understood,
    )


def _retried(tools: Sequence[str], outcomes: Sequence[Outcome]) -> bool:
    """Whether a tool is called again after it could not answer."""
    return any(
        outcome.unresolved and tool in tools[position + 1 :]
        for position, (tool, outcome) in enumerate(zip(tools, outcomes, strict=True))
    )


def understood_arguments(outcome: Outcome, all_agents: Collection[str]) -> dict[str, Any]:
    """What the server took the arguments of a call to mean, judging by its answer.

    Args:
        outcome: the server's answer.
        all_agents: ids of all agents; comparing all agents counts the same as naming none.

    Returns:
        `answered`, plus those of agent, agents, capability and category that the call specified; empty if the call
        was not resolved.
    """
    if outcome.unresolved:
        return {}
    answer = outcome.answer
    capability = answer.get("capability")
    compared = [line["agent"] for line in answer.get("comparison", ())]
    found = {
        "agent": answer.get("agent"),
        "agents": _selected(compared, all_agents),
        "category": answer.get("category"),
        "capability": capability.get("name") if isinstance(capability, dict) else capability,
    }
    return {"answered": True} | {name: value for name, value in found.items() if value}


def as_expected(understood: Mapping[str, Any], expected: ExpectedCall, all_agents: Collection[str]) -> bool:
    """Whether the server understood exactly the expected agents, capability and category."""
    wanted: dict[str, Any] = dict(expected.args)
    if "agents" in wanted:
        wanted["agents"] = _selected(wanted["agents"], all_agents)
    return dict(understood) == {"answered": True} | {name: value for name, value in wanted.items() if value}


def _selected(agents: Collection[str], all_agents: Collection[str]) -> list[str]:
    """The agents in alphabetical order; empty for all of them."""
    return [] if set(agents) == set(all_agents) else sorted(agents)
