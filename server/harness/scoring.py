"""Recordings against expectations: every call is run against the server, and what it made of it is compared."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from server.harness.prompts import ExpectedCall, Prompt, PromptFile
from server.harness.recording import Recording
from server.harness.scores import Judged, Scores, Steps
from server.harness.tool_runner import Outcome, ToolRunner


async def score(
    suite: PromptFile, recordings: Iterable[Recording], runner: ToolRunner, baseline: Mapping[str, int] | None = None
) -> Scores:
    """Judge recordings, running each call against the server.

    Args:
        suite: what was asked and what is right.
        recordings: those of prompts that the suite does not have are passed over.
        runner: the server.
        baseline: tokens of the data files that answer a prompt, by its input; without it there is no token ratio.
    """
    by_input = {recording.input: recording for recording in recordings}
    judged = [
        await _judge(prompt, by_input[prompt.input], runner) for prompt in suite.prompts if prompt.input in by_input
    ]
    steps = [
        Steps(scenario.name, len(by_input[scenario.input].calls), *scenario.calls)
        for scenario in suite.scenarios
        if scenario.input in by_input
    ]
    missing = [text for text in suite.inputs if text not in by_input]
    return Scores(judged, steps, missing, baseline or {})


async def _judge(prompt: Prompt, recording: Recording, runner: ToolRunner) -> Judged:
    outcomes = [await runner.call(call.tool, call.arguments) for call in recording.calls]
    first = recording.calls[0].tool if recording.calls else None
    understood = understanding(outcomes[0], runner.agents) if outcomes else {}
    right = [expected for expected in prompt.right if expected.tool == first]
    asked = recording.ending != "failed"
    resolved = asked and any(first is None or fits(expected, understood, runner.agents) for expected in right)
    return Judged(
        prompt=prompt,
        recording=recording,
        invoked=asked and bool(right),
        resolved=resolved if prompt.expected_tool is not None else None,
        retried=_retried([call.tool for call in recording.calls], outcomes),
        understood=understood,
    )


def _retried(tools: Sequence[str], outcomes: Sequence[Outcome]) -> bool:
    """Whether a tool is called again after it could not answer."""
    return any(
        outcome.unresolved and tool in tools[position + 1 :]
        for position, (tool, outcome) in enumerate(zip(tools, outcomes, strict=True))
    )


def understanding(outcome: Outcome, everyone: Collection[str]) -> dict[str, Any]:
    """What the server took the arguments of a call to mean, by its answer.

    Args:
        outcome: of the call.
        everyone: ids of all agents; a comparison of them all names none.

    Returns:
        `answered`, and of agent, agents, capability and category those that were meant; nothing where it was not sure.
    """
    if outcome.unresolved:
        return {}
    answer = outcome.answer
    capability = answer.get("capability")
    compared = [line["agent"] for line in answer.get("comparison", ())]
    found = {
        "agent": answer.get("agent"),
        "agents": _some(compared, everyone),
        "category": answer.get("category"),
        "capability": capability.get("name") if isinstance(capability, dict) else capability,
    }
    return {"answered": True} | {name: value for name, value in found.items() if value}


def fits(expected: ExpectedCall, understood: Mapping[str, Any], everyone: Collection[str]) -> bool:
    """Whether a call was understood as expected: the same agents, capability and category, neither more nor less."""
    wanted: dict[str, Any] = dict(expected.args)
    if "agents" in wanted:
        wanted["agents"] = _some(wanted["agents"], everyone)
    return dict(understood) == {"answered": True} | {name: value for name, value in wanted.items() if value}


def _some(agents: Collection[str], everyone: Collection[str]) -> list[str]:
    """The agents in order; none where it is all of them."""
    return [] if set(agents) == set(everyone) else sorted(agents)
