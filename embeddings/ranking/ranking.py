"""The ranking for one query: every label's signals, and the probabilities computed from them.

Every label, and "none", has a utility: a weighted sum of its signals. The probabilities are the softmax of the
utilities, so they add up to one, and the same model gives both the ranking and the confidences.
"""

from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import DoubleArray, FloatArray, IntArray

SUREST: Final = 0.999
"""Upper bound of the confidence of a match that is not an exact name or alias."""


@dataclass(frozen=True)
class Rest:
    """Labels of a catalog that are not ranked, because a query hardly means them, told by some of them.

    Attributes:
        confidences: float64 (drawn,), of labels that were drawn from them.
        each: for how many labels each of these stands.
    """

    confidences: DoubleArray = field(default_factory=lambda: np.zeros(0))
    each: float = 0.0

    @property
    def total(self) -> float:
        """The chance that the query means one of these labels."""
        return self.each * float(self.confidences.sum())


@dataclass(frozen=True)
class Ranking:
    """The signals and confidence of every label for one query.

    Attributes:
        signals: float32 (labels + 1, signals), "none" last. The kernel's of a label that is surely not meant can be
            what it mostly is at the label's cosine.
        weights: float64 (signals,), weights of the signals.
        confidences: float64 (labels + 1,), adding up to 1 together with those of `rest`.
        by_embedding: float64 (labels,), scores by the model alone, for the phrase as typed; None without the model.
        nearness: float32 (phrases,), similarity of the query to each phrase of the catalog: cosines, or n-gram
            similarities without the model.
        read_as: the phrase with its spelling corrected.
        rest: the labels that are not ranked; none, unless this is a ranking of a part of a stored catalog.
    """

    signals: FloatArray
    weights: DoubleArray
    confidences: DoubleArray
    by_embedding: DoubleArray | None
    nearness: FloatArray
    read_as: str
    rest: Rest = field(default_factory=Rest)

    def in_proportion(self, confidences: DoubleArray, rest: DoubleArray) -> Self:
        """Return the same ranking with other confidences, which are divided by their sum.

        Args:
            confidences: float64 (labels + 1,).
            rest: of the labels that stand for those that are not ranked.
        """
        total = confidences.sum() + self.rest.each * rest.sum()
        return replace(self, confidences=confidences / total, rest=Rest(rest / total, self.rest.each))

    @property
    def utilities(self) -> DoubleArray:
        """float64 (labels + 1,), whose exponentials the confidences of a text that is read as a whole stand to."""
        found: DoubleArray = self.signals @ self.weights
        return found

    def confidence(self, label: int) -> float:
        """Return the probability of a label, capped at `SUREST`: similarity alone is never certain."""
        return min(float(self.confidences[label]), SUREST)

    @property
    def best(self) -> int:
        """The likeliest label; the first of the catalog on a tie."""
        return int(np.argmax(self.confidences[:-1]))

    def order(self) -> IntArray:
        """Return the labels, best first; ties keep the order of the catalog."""
        return np.argsort(-self.confidences[:-1], kind="stable")

    def place_by_embedding(self, label: int) -> int:
        """Return the rank, from 0, that the model alone would give a label; 0 without the model."""
        scores = self.by_embedding
        return 0 if scores is None else int(np.count_nonzero(scores > scores[label]))


def probabilities(features: npt.NDArray[np.floating], weights: DoubleArray) -> DoubleArray:
    """Softmax over the alternatives.

    Args:
        features: (..., alternatives, signals).
        weights: (signals,).

    Returns:
        (..., alternatives), each in [0, 1], adding up to 1 over the alternatives.
    """
    utilities = features @ weights
    utilities -= utilities.max(axis=-1, keepdims=True)
    raised: DoubleArray = np.exp(utilities, out=utilities)
    raised /= raised.sum(axis=-1, keepdims=True)
    return raised
