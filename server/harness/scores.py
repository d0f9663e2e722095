"""The results of a run: what each prompt came to, and the four figures over them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.harness.prompts import Prompt
from server.harness.recording import Recording

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
