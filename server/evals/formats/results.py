"""The results of a run: how each prompt and scenario went, and the four metrics over them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from server.evals.formats.prompts import Prompt
from server.evals.formats.recording import Recording

NO_CALL: Final = "no call"
"""Shown in reports instead of a tool if none was called or expected."""


@dataclass(frozen=True)
class PromptResult:
    """How one prompt went.

    Attributes:
        right_tool: the first call names an expected tool, or there is no call and none is expected.
        right_arguments: the tool is right, and the server understood its arguments as expected; None if no tool is
            expected.
        retried: a tool was called again after an error or an answer that was not resolved.
        understood: what the server took the first call's arguments to mean.
    """

    prompt: Prompt
    recording: Recording
    right_tool: bool
    right_arguments: bool | None
    retried: bool
    understood: Mapping[str, Any]

    @property
    def called(self) -> str:
        """The tool of the first call."""
        return self.recording.calls[0].tool if self.recording.calls else NO_CALL


@dataclass(frozen=True)
class ScenarioResult:
    """How many calls a scenario took, and the range that was expected."""

    name: str
    calls: int
    min_calls: int
    max_calls: int

    @property
    def within(self) -> bool:
        """Whether the number of calls is in the expected range."""
        return self.min_calls <= self.calls <= self.max_calls


@dataclass(frozen=True)
class Metrics:
    """The four metrics over some prompts; None if there is nothing to measure."""

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
class Results:
    """All results of one run.

    Attributes:
        prompts: results of the recorded prompts, in the order of the suite.
        scenarios: results of the recorded scenarios, in the order of the suite.
        missing: inputs that were not recorded.
        baseline: tokens that each prompt would take without this server, by input.
    """

    prompts: Sequence[PromptResult]
    scenarios: Sequence[ScenarioResult]
    missing: Sequence[str]
    baseline: Mapping[str, int] = field(default_factory=dict)

    @property
    def metrics(self) -> Metrics:
        """The metrics over all prompts."""
        return metrics_over(self.prompts, self.baseline)

    @property
    def strata(self) -> dict[str, Metrics]:
        """The metrics of each stratum, in alphabetical order."""
        by_name: dict[str, list[PromptResult]] = {}
        for result in self.prompts:
            by_name.setdefault(result.prompt.stratum, []).append(result)
        return {name: metrics_over(by_name[name], self.baseline) for name in sorted(by_name)}

    @property
    def confusion(self) -> dict[tuple[str, str], int]:
        """The number of prompts for each pair of expected and called tool, in alphabetical order."""
        pairs = Counter(
            (result.called if result.right_tool else result.prompt.expected_tool or NO_CALL, result.called)
            for result in self.prompts
        )
        return dict(sorted(pairs.items()))

    @property
    def failures(self) -> list[Recording]:
        """Conversations that ended with an error."""
        return [result.recording for result in self.prompts if result.recording.ending == "failed"]

    @property
    def misses(self) -> list[PromptResult]:
        """Prompts that went wrong: those with a wrong tool, then those with wrong arguments."""
        wrong_tool = [result for result in self.prompts if not result.right_tool]
        wrong_arguments = [each for each in self.prompts if each.right_tool and each.right_arguments is False]
        return wrong_tool + wrong_arguments


def metrics_over(results: Sequence[PromptResult], baseline: Mapping[str, int]) -> Metrics:
    """The four metrics over some results."""
    return Metrics(
        prompts=len(results),
        invocation_accuracy=_share([result.right_tool for result in results]),
        argument_accuracy=_share([each.right_arguments for each in results if each.right_arguments is not None]),
        retry_rate=_share([result.retried for result in results]),
        token_ratio=_token_ratio(results, baseline),
    )


def _token_ratio(results: Sequence[PromptResult], baseline: Mapping[str, int]) -> float | None:
    """Tokens used over those of the baseline; None unless every prompt was counted."""
    used, without = 0, 0
    for result in results:
        tokens, base = result.recording.tokens, baseline.get(result.prompt.input)
        if tokens is None or base is None:
            return None
        used, without = used + tokens, without + base
    return used / without if without else None


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
