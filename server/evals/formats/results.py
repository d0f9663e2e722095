"""The results of a run: how each prompt and scenario went, and the metrics over them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from server.evals.formats.metrics import Metrics, metrics_over
from server.evals.formats.prompt_result import NO_CALL, PromptResult
from server.evals.formats.recording import Recording


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
