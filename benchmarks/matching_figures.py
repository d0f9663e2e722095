"""Figures of one matcher on one sample."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.labelled_data import Case
from benchmarks.peer import Scores
from embeddings.arrays import BoolArray, IntArray
from embeddings.metrics import area_under_roc, calibration_error
from embeddings.ranking.match_result import DEFAULT_TOP, Decision


@dataclass(frozen=True)
class Figures:
    """Shares of queries; None is what the sample or the matcher does not have.

    Attributes:
        top1: of the served queries, those with an acceptable label first.
        top3: or among the first three.
        auroc: probability that the best score of a served query is above that of an unserved one.
        ece: expected calibration error, if the scores are meant as probabilities.
        served_none: of the served queries, those decided as `no_match`.
        unserved_none: of the unserved ones.
        unserved_resolved: of the unserved queries, those decided as `resolved`.
        overall: of all queries, those answered rightly: `no_match` is the answer "none", else the first label is.
        mcc: Matthews correlation coefficient of these answers, over all labels and "none".
    """

    top1: float
    top3: float
    auroc: float | None = None
    ece: float | None = None
    served_none: float | None = None
    unserved_none: float | None = None
    unserved_resolved: float | None = None
    overall: float | None = None
    mcc: float | None = None


def figures(
    case: Case, scores: Scores, *, calibrated: bool = False, decisions: Sequence[Decision] | None = None
) -> Figures:
    """Compare scores, (queries, labels), with the gold labels; ties rank in the order of the catalog."""
    names = [label.name for label in case.book.labels]
    right = np.array([[name in query.gold for name in names] for query in case.queries], dtype=bool)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :DEFAULT_TOP]
    hits = np.take_along_axis(right & np.isfinite(scores), order, axis=1)
    inside = np.array([bool(query.gold) for query in case.queries], dtype=bool)
    best = scores.max(axis=1)
    decided = {} if decisions is None else _decided(inside, hits[:, 0], np.array(decisions, dtype=str))
    if decisions is not None:
        given = np.where(np.array(decisions) == "no_match", len(names), order[:, 0])
        wanted = np.where(inside, np.where(hits[:, 0], order[:, 0], right.argmax(axis=1)), len(names))
        decided["mcc"] = matthews(given, wanted)
    return Figures(
        top1=float(hits[inside, 0].mean()),
        top3=float(hits[inside].any(axis=1).mean()),
        auroc=None if inside.all() else area_under_roc(best[inside], best[~inside]),
        ece=calibration_error(best, hits[:, 0]) if calibrated else None,
        **decided,
    )


def _decided(inside: BoolArray, hit: BoolArray, decisions: npt.NDArray[np.str_]) -> dict[str, float]:
    none = decisions == "no_match"
    found = {
        "served_none": float(none[inside].mean()),
        "overall": float(np.where(inside, hit & ~none, none).mean()),
    }
    if not inside.all():
        found["unserved_none"] = float(none[~inside].mean())
        found["unserved_resolved"] = float((decisions[~inside] == "resolved").mean())
    return found


def matthews(given: IntArray, wanted: IntArray) -> float:
    """Matthews correlation coefficient of many classes (Gorodkin, 2004); 0 if all answers are the same.

    Args:
        given: int64 (n,), the class answered.
        wanted: int64 (n,), the right class.
    """
    count, classes = len(given), int(max(given.max(), wanted.max())) + 1
    given_counts = np.bincount(given, minlength=classes).astype(float)
    wanted_counts = np.bincount(wanted, minlength=classes).astype(float)
    covariance = float((given == wanted).sum()) * count - given_counts @ wanted_counts
    spread = (count**2 - given_counts @ given_counts) * (count**2 - wanted_counts @ wanted_counts)
    return float(covariance / np.sqrt(spread)) if spread > 0 else 0.0
