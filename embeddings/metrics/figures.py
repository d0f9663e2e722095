"""Figures of how well a matcher ranks, decides and is calibrated, each over all rows of the outcomes."""

from collections.abc import Callable
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, DoubleArray
from embeddings.metrics.outcomes import Outcomes
from embeddings.ranking.match_result import DEFAULT_TOP

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


def _share(of: BoolArray) -> float:
    return float(of.mean()) if len(of) else float("nan")


FIGURES: Final[dict[str, Callable[[Outcomes], float]]] = {
    "top1": lambda o: _share(o.rank[o.in_scope] == 1),
    "top3": lambda o: _share(o.rank[o.in_scope] <= DEFAULT_TOP),
    "mrr": lambda o: float((1 / o.rank[o.in_scope]).mean()) if o.in_scope.any() else float("nan"),
    "coverage": lambda o: _share(o.resolved[o.single]),
    "precision": lambda o: _share(o.rank[o.resolved & o.in_scope] == 1),
    "falseResolve": lambda o: _share(o.resolved[~o.in_scope]),
    "falseNoMatch": lambda o: _share(o.no_match[o.in_scope]),
    "auroc": lambda o: area_under_roc(o.confidence[o.in_scope], o.confidence[~o.in_scope]),
    "ece": lambda o: calibration_error(o.confidence, o.rank == 1),
}
"""top1, top3, mrr: over in-scope rows; any gold label counts as right. coverage: share of `resolved` among rows with
one gold label. precision: share of right first matches among resolved in-scope rows. falseResolve: share of `resolved`
among out-of-scope rows. falseNoMatch: share of `no_match` among in-scope rows. auroc: how well confidence separates
in-scope from out-of-scope rows. ece: expected calibration error over all rows; out-of-scope rows count as wrong."""
