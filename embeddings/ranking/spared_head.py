"""Scores the labels that a query may mean by the ranking head, and spares the others most of its work.

Much of a match is reading the head's coefficients, a column a label. A label whose other signals leave it far behind,
with any score that is to be expected at its cosine, gets the score that is mostly found there.
"""

from typing import Final

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.index.expected_scores import ExpectedScores
from embeddings.index.kernel_ridge import NARROW, KernelRidge
from embeddings.index.signal_names import SIGNALS

FAR: Final = 7.0
"""How far behind the best a label is spared, in logarithms of odds: it has less than a thousandth of its chance. On the
1,564 queries of `benchmarks/dev.jsonl` and `apart_*.jsonl` no first label and no decision changes, and confidences by
0.003 at most; 13 of 48 labels are scored on average, and 5 in half of the queries."""

FIRST: Final = 4
"""Labels that are scored before it is known which are far behind."""

MOST_APART: Final = 16
"""Labels that are scored one by one; more are scored sooner all together."""

FEWEST_BYTES: Final = 1 << 20
"""Size of the coefficients from which sparing is worth its own work."""

_KERNEL, _COSINE, _NONE = (SIGNALS.index(name) for name in ("kernel", "cosine", "none kernel"))


class SparedHead:
    """Scores by a head. Safe to share between threads."""

    def __init__(self, head: KernelRidge, expected: ExpectedScores, weights: DoubleArray) -> None:
        """Spare by expected scores and the weights of all signals."""
        self._head, self._expected, self._weights = head, expected, weights

    @staticmethod
    def is_worth(head: KernelRidge) -> bool:
        """Whether a head is so large, and its labels are so few, that sparing saves time."""
        return FIRST < head.coefficients.shape[1] <= NARROW and head.coefficients.nbytes >= FEWEST_BYTES

    def fill(self, signals: FloatArray, cosines: FloatArray) -> None:
        """Write the scores of a query into its signals, in which they are 0.

        Args:
            signals: float32 (labels + 1, signals).
            cosines: float32 (phrases,), of the query to all phrases.
        """
        values, scores = self._head.kernels(cosines), signals[:-1, _KERNEL]
        signals[-1, _NONE] = values @ self._head.coefficients[:, -1]
        mean, spread = self._expected.of(signals[:-1, _COSINE])
        scores[:] = mean
        utilities = signals @ self._weights
        among, weight = utilities[:-1], abs(float(self._weights[_KERNEL]))
        first = among.argpartition(-FIRST)[-FIRST:]
        self._score(scores, first, values)
        best = float((signals[first] @ self._weights).max())
        # What could be the first label is scored, however surely none is meant.
        near = among + spread * weight >= min(best, max(best, float(utilities[-1])) - FAR)
        near[first] = False
        self._score(scores, np.flatnonzero(near), values)

    def _score(self, scores: FloatArray, labels: IntArray, values: FloatArray) -> None:
        if len(labels) > MOST_APART:
            scores[labels] = (values @ self._head.coefficients)[labels]
            return
        for label in labels.tolist():
            scores[label] = values @ self._head.coefficients[:, label]
