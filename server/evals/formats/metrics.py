"""The metrics over some prompts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.evals.formats.prompt_result import PromptResult


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
    """The metrics over some results."""
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
    """The mean of what was measured; None if nothing was."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
