"""Evaluates a matcher on labelled queries: figures with intervals, by stratum, and confusions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from embeddings.metrics.decision_counts import DecisionCounts
from embeddings.metrics.figures import FIGURES
from embeddings.metrics.outcomes import LabelledQuery, Outcomes
from embeddings.ranking.match_result import MatchResult

RESAMPLES: Final = 1000
INTERVAL: Final = (2.5, 97.5)
"""Percentiles of the bootstrap interval."""

_SEED: Final = 20260218

STRATUM_FIGURES: Final[tuple[str, ...]] = ("top1", "top3", "mrr", "falseNoMatch", "falseResolve")
"""Figures that each stratum has, if it has rows to measure them."""


@dataclass(frozen=True)
class Stratum:
    """The results on the queries of one kind.

    Attributes:
        rows: number of queries.
        figures: value by name, those of `STRATUM_FIGURES` that have rows to measure.
        decisions: decisions by whether they were right.
    """

    rows: int
    figures: dict[str, float]
    decisions: DecisionCounts

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value."""
        return {"rows": self.rows, **_rounded(self.figures), "decisions": self.decisions.to_dict()}


@dataclass(frozen=True)
class Evaluation:
    """The results of a matcher on labelled queries.

    Attributes:
        rows: number of queries.
        figures: value by name, see `FIGURES`; a figure without rows to measure is left out.
        intervals: 95% bootstrap interval of each figure.
        decisions: decisions by whether they were right.
        strata: the results by stratum.
        confusions: (gold, answered, count), most frequent first; the gold of an out-of-scope row is "(none)".
    """

    rows: int
    figures: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    decisions: DecisionCounts
    strata: dict[str, Stratum]
    confusions: tuple[tuple[str, str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value."""
        return {
            "rows": self.rows,
            **_rounded(self.figures),
            "intervals": {name: [round(end, 4) for end in ends] for name, ends in self.intervals.items()},
            "decisions": self.decisions.to_dict(),
            "strata": {name: stratum.to_dict() for name, stratum in self.strata.items()},
            "confusions": [{"gold": gold, "answered": name, "count": count} for gold, name, count in self.confusions],
        }


def evaluate(queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> Evaluation:
    """Evaluate results against the gold labels."""
    outcomes = Outcomes.of(queries, results)
    figures = _figures(outcomes)
    kinds = np.array([query.stratum for query in queries])
    return Evaluation(
        rows=len(queries),
        figures=figures,
        intervals=_intervals(outcomes, list(figures)),
        decisions=DecisionCounts.of(outcomes),
        strata={kind: _stratum(outcomes.rows(kinds == kind)) for kind in dict.fromkeys(kinds.tolist())},
        confusions=_confusions(queries, results),
    )


def _stratum(outcomes: Outcomes) -> Stratum:
    found = _figures(outcomes)
    shown = {name: found[name] for name in STRATUM_FIGURES if name in found}
    return Stratum(len(outcomes.rank), shown, DecisionCounts.of(outcomes))


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def _figures(outcomes: Outcomes) -> dict[str, float]:
    values = {name: figure(outcomes) for name, figure in FIGURES.items()}
    return {name: value for name, value in values.items() if not np.isnan(value)}


def _intervals(outcomes: Outcomes, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Percentile bootstrap over the rows (Efron, 1979), with the same resamples for every figure."""
    generator = np.random.default_rng(_SEED)
    count = len(outcomes.rank)
    drawn: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(RESAMPLES if count else 0):
        sample = outcomes.rows(generator.integers(0, count, count))
        for name in names:
            drawn[name].append(FIGURES[name](sample))
    ends = {name: np.nanpercentile(values, INTERVAL) for name, values in drawn.items() if values}
    return {name: (float(low), float(high)) for name, (low, high) in ends.items()}


def _confusions(queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> tuple[tuple[str, str, int], ...]:
    """Count wrong first matches by gold label, and wrongly resolved out-of-scope queries."""
    counts: Counter[tuple[str, str]] = Counter()
    for query, result in zip(queries, results, strict=True):
        answered = result.matches[0].name
        if query.gold and answered not in query.gold:
            counts[query.gold[0], answered] += 1
        elif not query.gold and result.decision == "resolved":
            counts["(none)", answered] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((gold, answered, count) for (gold, answered), count in ordered)
