"""Recordings against expectations: the four figures, by stratum, and every miss."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.harness.prompts import ExpectedCall, Prompt, PromptFile
from server.harness.recording import Recording
from server.harness.tool_runner import Outcome, ToolRunner

NO_CALL = "no call"


@dataclass(frozen=True)
class Judged:
    """One prompt's result.

    Attributes:
        prompt: what was asked.
        recording: what was done.
        invoked: the first call names an expected tool, or there is none where none is expected.
        resolved: besides, the server understood its arguments as expected; None where no tool is expected.
        retried: a tool was called again after an error or an answer that was not resolved.
        understood: what the server made of the first call's arguments.
    """

    prompt: Prompt
    recording: Recording
    invoked: bool
    resolved: bool | None
    retried: bool
    understood: Mapping[str, Any]

    @property
    def called(self) -> str:
        """The tool of the first call."""
        return self.recording.calls[0].tool if self.recording.calls else NO_CALL


@dataclass(frozen=True)
class Steps:
    """One scenario's result: how many calls it took, and whether that is in its range."""

    name: str
    calls: int
    least: int
    most: int

    @property
    def within(self) -> bool:
        """Whether the count is in the expected range."""
        return self.least <= self.calls <= self.most


@dataclass(frozen=True)
class Figures:
    """The four figures over some prompts; None where there is nothing to take a share of."""

    prompts: int
    invocation_accuracy: float | None
    argument_accuracy: float | None
    retry_rate: float | None
    token_ratio: float | None

    def to_dict(self) -> dict[str, Any]:
        """JSON value, camelCase."""
        return {
            "invocationAccuracy": self.invocation_accuracy,
            "argumentAccuracy": self.argument_accuracy,
            "retryRate": self.retry_rate,
            "tokenRatio": self.token_ratio,
            "prompts": self.prompts,
        }


@dataclass(frozen=True)
class Scores:
    """All results of one run."""

    judged: Sequence[Judged]
    steps: Sequence[Steps]
    missing: Sequence[str]
    baseline: Mapping[str, int] = field(default_factory=dict)

    @property
    def figures(self) -> Figures:
        """Over all prompts."""
        return figures(self.judged, self.baseline)

    @property
    def strata(self) -> dict[str, Figures]:
        """By stratum, in alphabetical order."""
        names = sorted({judged.prompt.stratum for judged in self.judged})
        return {
            name: figures([judged for judged in self.judged if judged.prompt.stratum == name], self.baseline)
            for name in names
        }

    @property
    def confusion(self) -> dict[tuple[str, str], int]:
        """Expected tool and tool called, to the number of prompts, in alphabetical order."""
        pairs = Counter(
            (judged.called if judged.invoked else judged.prompt.expected_tool or NO_CALL, judged.called)
            for judged in self.judged
        )
        return dict(sorted(pairs.items()))

    @property
    def failures(self) -> list[Recording]:
        """Conversations that broke off."""
        return [judged.recording for judged in self.judged if judged.recording.ending == "failed"]

    @property
    def misses(self) -> list[Judged]:
        """Prompts that went wrong: wrong tool first, then wrong arguments."""
        wrong = [judged for judged in self.judged if not judged.invoked]
        return wrong + [judged for judged in self.judged if judged.invoked and judged.resolved is False]


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


def figures(judged: Sequence[Judged], baseline: Mapping[str, int]) -> Figures:
    """The four figures over some results."""
    expecting = [each for each in judged if each.resolved is not None]
    counted = [(each.recording.tokens, baseline.get(each.prompt.input)) for each in judged]
    known = [(used, files) for used, files in counted if used is not None and files is not None]
    whole = len(known) == len(judged) and sum(files for _, files in known) > 0
    return Figures(
        prompts=len(judged),
        invocation_accuracy=_share([each.invoked for each in judged]),
        argument_accuracy=_share([bool(each.resolved) for each in expecting]),
        retry_rate=_share([each.retried for each in judged]),
        token_ratio=sum(used for used, _ in known) / sum(files for _, files in known) if whole else None,
    )


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


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
