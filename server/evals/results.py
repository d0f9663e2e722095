"""The results of a run: how each prompt and scenario went, and the metrics over them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.evals.recording import NO_CALL, PromptResult, Recording


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """The metrics over some prompts; None if there is nothing to measure.

    Attributes:
        invocation_accuracy: share whose first call is of an expected tool.
        argument_accuracy: share whose first call is understood as expected.
        retry_rate: share with a call that had to be repeated.
        token_ratio: tokens used over those of the baseline.
        reached: share that called an expected tool at some point.
        settled: share whose answers contain the statement that settles the prompt.
        steps: calls for a prompt on average, loads included.
        tokens: tokens for a prompt on average.
    """

    prompts: int
    invocation_accuracy: float | None
    argument_accuracy: float | None
    retry_rate: float | None
    token_ratio: float | None
    reached: float | None
    settled: float | None
    steps: float | None
    tokens: float | None

    def to_dict(self) -> dict[str, Any]:
        """JSON value, camelCase."""
        return {
            "invocationAccuracy": self.invocation_accuracy,
            "argumentAccuracy": self.argument_accuracy,
            "retryRate": self.retry_rate,
            "tokenRatio": self.token_ratio,
            "reached": self.reached,
            "settled": self.settled,
            "steps": self.steps,
            "tokens": self.tokens,
            "prompts": self.prompts,
        }


def metrics_over(results: Sequence[PromptResult], baseline: Mapping[str, int]) -> Metrics:
    """Return the metrics over some results."""
    return Metrics(
        prompts=len(results),
        invocation_accuracy=_mean([result.right_tool for result in results]),
        argument_accuracy=_mean([result.right_arguments for result in results]),
        retry_rate=_mean([result.retried for result in results]),
        token_ratio=_token_ratio(results, baseline),
        reached=_mean([result.reached for result in results]),
        settled=_mean([result.settled for result in results]),
        steps=_mean([result.steps for result in results]),
        tokens=_tokens(results),
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


def _tokens(results: Sequence[PromptResult]) -> float | None:
    """Tokens for a prompt on average; None unless every prompt was counted."""
    counts = [result.recording.tokens for result in results]
    return None if None in counts else _mean(counts)


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of what was measured; None if nothing was."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


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
class Results:
    """All results of one run.

    Attributes:
        prompts: results of the recorded prompts, in the order of the suite.
        scenarios: results of the recorded scenarios, in the order of the suite.
        missing: inputs that were not recorded.
        baseline: tokens that each prompt would take without this server, by input.
        start: how the server was started, if not by default.
    """

    prompts: Sequence[PromptResult]
    scenarios: Sequence[ScenarioResult]
    missing: Sequence[str]
    baseline: Mapping[str, int] = field(default_factory=dict)
    start: str | None = None

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
    def unsettled(self) -> list[PromptResult]:
        """Prompts that a statement of the catalog settles, and whose answers did not contain it."""
        return [result for result in self.prompts if result.settled is False]

    @property
    def misses(self) -> list[PromptResult]:
        """Prompts that went wrong: those with a wrong tool, then those with wrong arguments."""
        wrong_tool = [result for result in self.prompts if not result.right_tool]
        wrong_arguments = [each for each in self.prompts if each.right_tool and each.right_arguments is False]
        return wrong_tool + wrong_arguments
