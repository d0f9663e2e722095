"""Evaluates a matcher on labelled queries: ranking, decisions, and calibration of its confidence."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import BoolArray, DoubleArray
from embeddings.ranking.decision import Costs, decide
from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult


@dataclass(frozen=True)
class LabelledQuery:
    """A query and the labels that answer it.

    Attributes:
        query: the phrase.
        gold: acceptable labels; empty for an out-of-scope query.
        stratum: the kind of query.
    """

    query: str
    gold: tuple[str, ...]
    stratum: str = "all"


@dataclass(frozen=True)
class Outcomes:
    """The results of a matcher on labelled queries, one row per query.

    Attributes:
        rank: float64 (n,), rank of the first gold label, from 1; infinity if none was returned.
        confidence: float64 (n,), confidence of the first match.
        resolved: bool (n,), whether the decision is `resolved`.
        no_match: bool (n,), whether the decision is `no_match`; where neither is, it is `ambiguous`.
        in_scope: bool (n,), whether there is a gold label.
        single: bool (n,), whether there is exactly one gold label.
    """

    rank: DoubleArray
    confidence: DoubleArray
    resolved: BoolArray
    no_match: BoolArray
    in_scope: BoolArray
    single: BoolArray

    @classmethod
    def of(cls, queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> Self:
        """Compare results with the gold labels."""
        gold = [set(query.gold) for query in queries]
        return cls(
            rank=np.array([_rank(wanted, result) for wanted, result in zip(gold, results, strict=True)], dtype=float),
            confidence=np.array([result.matches[0].match_confidence for result in results], dtype=float),
            resolved=np.array([result.decision == "resolved" for result in results], dtype=bool),
            no_match=np.array([result.decision == "no_match" for result in results], dtype=bool),
            in_scope=np.array([bool(wanted) for wanted in gold], dtype=bool),
            single=np.array([len(wanted) == 1 for wanted in gold], dtype=bool),
        )

    def rows(self, chosen: npt.NDArray[Any]) -> Self:
        """Select rows by mask or by index."""
        fields = (self.rank, self.confidence, self.resolved, self.no_match, self.in_scope, self.single)
        return type(self)(*(field[chosen] for field in fields))


def _rank(wanted: set[str], result: MatchResult) -> float:
    places = [place for place, match in enumerate(result.matches, start=1) if match.name in wanted]
    return places[0] if places else float("inf")


@dataclass(frozen=True)
class DecisionCounts:
    """Numbers of queries by decision.

    Attributes:
        resolved_right: resolved to a gold label.
        resolved_wrong: resolved to another label, or out of scope.
        ambiguous_right: ambiguous, and a gold label is among the first three.
        ambiguous_wrong: ambiguous, and none is; out-of-scope queries are here, too.
        no_match_right: `no_match`, and out of scope.
        no_match_wrong: `no_match` although there is a gold label.
    """

    resolved_right: int
    resolved_wrong: int
    ambiguous_right: int
    ambiguous_wrong: int
    no_match_right: int
    no_match_wrong: int

    @classmethod
    def of(cls, outcomes: Outcomes) -> Self:
        """Count the decisions of outcomes."""
        ambiguous = ~(outcomes.resolved | outcomes.no_match)
        first, shown = outcomes.rank == 1, outcomes.rank <= DEFAULT_TOP
        return cls(
            resolved_right=int((outcomes.resolved & first).sum()),
            resolved_wrong=int((outcomes.resolved & ~first).sum()),
            ambiguous_right=int((ambiguous & shown).sum()),
            ambiguous_wrong=int((ambiguous & ~shown).sum()),
            no_match_right=int((outcomes.no_match & ~outcomes.in_scope).sum()),
            no_match_wrong=int((outcomes.no_match & outcomes.in_scope).sum()),
        )

    def to_dict(self) -> dict[str, int]:
        """Return a JSON value with camelCase keys."""
        return {
            "resolvedRight": self.resolved_right,
            "resolvedWrong": self.resolved_wrong,
            "ambiguousRight": self.ambiguous_right,
            "ambiguousWrong": self.ambiguous_wrong,
            "noMatchRight": self.no_match_right,
            "noMatchWrong": self.no_match_wrong,
        }


BINS: Final = 15


def area_under_roc(positive: DoubleArray, negative: DoubleArray) -> float:
    """Probability that a positive scores above a negative, ties counting half; NaN if either is empty."""
    if not len(positive) or not len(negative):
        return float("nan")
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, side="left")
    upto = np.searchsorted(ordered, positive, side="right")
    return float((below + upto).mean() / 2 / len(negative))


def calibration_error(confidence: DoubleArray, right: BoolArray, bins: int = BINS) -> float:
    """Expected calibration error over bins with equal numbers of rows; NaN without rows."""
    if not len(confidence):
        return float("nan")
    parts = np.array_split(np.argsort(confidence, kind="stable"), bins)
    gaps = [len(part) * abs(confidence[part].mean() - right[part].mean()) for part in parts if len(part)]
    return float(sum(gaps) / len(confidence))


SHARES: Final[dict[str, Callable[[Outcomes], BoolArray]]] = {
    "top1": lambda o: o.rank[o.in_scope] == 1,
    "top3": lambda o: o.rank[o.in_scope] <= DEFAULT_TOP,
    "coverage": lambda o: o.resolved[o.single],
    "precision": lambda o: o.rank[o.resolved & o.in_scope] == 1,
    "falseResolve": lambda o: o.resolved[~o.in_scope],
    "falseNoMatch": lambda o: o.no_match[o.in_scope],
}
"""Figures that are shares: which rows count, and for each whether it does."""


_ENOUGH: Final = 1e-6
_ROUNDS: Final = 10_000


def estimate_share(none: DoubleArray, assumed: float) -> float:
    """Estimate the share of queries that no label fits, without knowing which.

    The share that makes the probabilities, corrected for it, add up to itself: expectation maximization, as in Saerens,
    Latinne & Decaestecker, Adjusting the Outputs of a Classifier to New a Priori Probabilities (2002).

    Args:
        none: float64 (n,), the probabilities that no label fits; at least one.
        assumed: the share that they count on, in (0, 1).

    Returns:
        The share, in [0, 1].
    """
    share = assumed
    for _ in range(_ROUNDS):
        odds = share / max(1 - share, _ENOUGH) / (assumed / (1 - assumed))
        before, share = share, float(np.mean(odds * none / (odds * none + 1 - none)))
        if abs(share - before) < _ENOUGH:
            break
    return share


def _share_of(name: str) -> Callable[[Outcomes], float]:
    def share(outcomes: Outcomes) -> float:
        rows = SHARES[name](outcomes)
        return float(rows.mean()) if len(rows) else float("nan")

    return share


FIGURES: Final[dict[str, Callable[[Outcomes], float]]] = {
    "top1": _share_of("top1"),
    "top3": _share_of("top3"),
    "mrr": lambda o: float((1 / o.rank[o.in_scope]).mean()) if o.in_scope.any() else float("nan"),
    "coverage": _share_of("coverage"),
    "precision": _share_of("precision"),
    "falseResolve": _share_of("falseResolve"),
    "falseNoMatch": _share_of("falseNoMatch"),
    "auroc": lambda o: area_under_roc(o.confidence[o.in_scope], o.confidence[~o.in_scope]),
    "ece": lambda o: calibration_error(o.confidence, o.rank == 1),
}
"""top1, top3, mrr: over in-scope rows; any gold label counts as right. coverage: share of `resolved` among rows with
one gold label. precision: share of right first matches among resolved in-scope rows. falseResolve: share of `resolved`
among out-of-scope rows. falseNoMatch: share of `no_match` among in-scope rows. auroc: how well confidence separates
in-scope from out-of-scope rows. ece: expected calibration error over all rows; out-of-scope rows count as wrong."""


RESAMPLES: Final = 1000
INTERVAL: Final = (2.5, 97.5)
"""Percentiles of the bootstrap interval."""

_SEED: Final = 20260218

_DEVIATIONS: Final = 1.959964
"""Standard deviations on either side of a mean between which 95% of a normal distribution lie."""

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
        counts: number of rows of each figure.
        intervals: 95% interval of each figure: Wilson's of a share, else by the bootstrap.
        decisions: decisions by whether they were right.
        strata: the results by stratum.
        confusions: (gold, answered, count), most frequent first; the gold of an out-of-scope row is "(none)".
    """

    rows: int
    figures: dict[str, float]
    counts: dict[str, int]
    intervals: dict[str, tuple[float, float]]
    decisions: DecisionCounts
    strata: dict[str, Stratum]
    confusions: tuple[tuple[str, str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value."""
        return {
            "rows": self.rows,
            **_rounded(self.figures),
            "counts": self.counts,
            "intervals": {name: [round(end, 4) for end in ends] for name, ends in self.intervals.items()},
            "decisions": self.decisions.to_dict(),
            "strata": {name: stratum.to_dict() for name, stratum in self.strata.items()},
            "confusions": [{"gold": gold, "answered": name, "count": count} for gold, name, count in self.confusions],
        }


def decided_with(results: Sequence[MatchResult], costs: Costs) -> list[MatchResult]:
    """Return results with the decisions that other costs make of their confidences; at least three matches each."""
    return [
        result
        if result.matches[0].matched_by in ("exact", "alias")
        else replace(
            result, decision=decide([match.match_confidence for match in result.matches], result.none_confidence, costs)
        )
        for result in results
    ]


def evaluate(queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> Evaluation:
    """Evaluate results against the gold labels."""
    outcomes = Outcomes.of(queries, results)
    figures = _figures(outcomes)
    kinds = np.array([query.stratum for query in queries])
    return Evaluation(
        rows=len(queries),
        figures=figures,
        counts={name: len(SHARES[name](outcomes)) if name in SHARES else len(queries) for name in figures},
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


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return the 95% interval of a share of a number of rows, one at least (Wilson, 1927); honest for few rows."""
    share, spread = right / count, _DEVIATIONS**2 / count
    centre, half = share + spread / 2, _DEVIATIONS * np.sqrt(share * (1 - share) / count + spread / 4 / count)
    return max(0.0, float((centre - half) / (1 + spread))), min(1.0, float((centre + half) / (1 + spread)))


def _intervals(outcomes: Outcomes, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Compute the interval of each figure: a share's by its rows, the others' by resampling."""
    counted = {name: SHARES[name](outcomes) for name in names if name in SHARES}
    shares = {name: wilson(int(rows.sum()), len(rows)) for name, rows in counted.items()}
    found = _resampled(outcomes, names) | shares
    return {name: found[name] for name in names if name in found}


def _resampled(outcomes: Outcomes, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Percentile bootstrap over the rows (Efron, 1979), with the same resamples for every figure."""
    names = [name for name in names if name not in SHARES]
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
