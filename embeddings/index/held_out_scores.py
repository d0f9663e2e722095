"""How sure a catalog was of the right label of phrases that it did not have, from which sets with a promise are made.

A set for a coverage c has every label, and "none", whose probability is at least 1 - q, where q is the quantile
c (n + 1) / n of one minus the probability of what was right, over n held-out phrases. It has what is right with
probability c, for phrases like those that were held out: split conformal prediction with the least ambiguous sets
(Sadinle, Lei & Wasserman, Least Ambiguous Set-Valued Classifiers with Bounded Error Levels, 2019).
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from embeddings.arrays import DoubleArray, require, within
from embeddings.errors import CoverageError
from embeddings.labels.label import Label

POINTS: Final = 200
"""Steps from the lowest to the highest score at which quantiles are kept."""

DIGITS: Final = 6
"""Digits of a quantile that are kept."""


@dataclass(frozen=True)
class HeldOutScores:
    """The quantiles of one minus the probability of what was right.

    Attributes:
        count: number of examples that were held out.
        quantiles: float64 (POINTS + 1,), ascending, from the lowest score to the highest.
    """

    count: int
    quantiles: DoubleArray

    def __post_init__(self) -> None:
        """Raise ValueError unless the quantiles are ascending probabilities."""
        require(self.count > 0, "held-out scores are of at least one example")
        known = self.quantiles.shape == (POINTS + 1,) and within(self.quantiles, 0, 1)
        require(known and bool((np.diff(self.quantiles) >= 0).all()), "quantiles are ascending probabilities")

    @classmethod
    def of(cls, scores: DoubleArray, importance: DoubleArray, count: int) -> "HeldOutScores":
        """Take the quantiles of scores, each of which stands for so many phrases.

        Args:
            scores: float64 (n,), in [0, 1].
            importance: float64 (n,).
            count: number of examples among them.
        """
        order = np.argsort(scores, kind="stable")
        reached = np.cumsum(importance[order]) / importance.sum()
        levels = np.arange(POINTS + 1) / POINTS
        places = np.minimum(np.searchsorted(reached, levels - 1e-12), len(scores) - 1)
        return cls(count, np.round(scores[order][places], DIGITS))

    @classmethod
    def of_labelled(
        cls, probabilities: DoubleArray, right: Sequence[Collection[str]], labels: Sequence[Label]
    ) -> "HeldOutScores":
        """Take the quantiles of labelled phrases.

        Args:
            probabilities: float64 (n, labels + 1), "none" last.
            right: of each phrase, the names or ids of the labels that are right; none if nothing fits.
            labels: of the catalog.

        Raises:
            ValueError: there are no phrases, the lengths differ, or a label is not in the catalog.
        """
        if not right or len(right) != len(probabilities):
            raise ValueError(
                f"{len(probabilities)} phrases and {len(right)} answers were given; each phrase needs its answer; give "
                "some, at best hundreds, and as many of both"
            )
        places: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            for called in {label.name, label.id} - {""}:
                places.setdefault(called, []).append(place)
        if unknown := sorted({name for names in right for name in names} - places.keys()):
            raise ValueError(
                f"labelled phrases name {unknown[0]!r}; a label is a name or an id in the catalog; correct it"
            )
        meant = [[place for name in names for place in places[name]] or [len(labels)] for names in right]
        scores = np.array([1 - row[found].max() for row, found in zip(probabilities, meant, strict=True)])
        return cls.of(np.clip(scores, 0, 1), np.ones(len(scores)), len(scores))

    @classmethod
    def from_value(cls, value: Any) -> "HeldOutScores":
        """Read what `to_value` made.

        Raises:
            ValueError: it is something else.
        """
        require(isinstance(value, dict) and isinstance(value.get("count"), int), "held-out scores have a 'count'")
        numbers = value.get("quantiles")
        plain = isinstance(numbers, list) and all(type(number) in {int, float} for number in numbers)
        require(plain, "held-out scores have a list of 'quantiles'")
        return cls(value["count"], np.array(numbers, dtype=np.float64))

    def to_value(self) -> dict[str, Any]:
        """Return a JSON value."""
        return {"count": self.count, "quantiles": self.quantiles.tolist()}

    def least(self, coverage: float) -> float:
        """Return the probability from which a label belongs to a set with this coverage.

        Raises:
            CoverageError: there are too few examples to promise it.
        """
        level = coverage * (self.count + 1) / self.count
        if level > 1:
            needed = math.ceil(coverage / (1 - coverage))
            raise CoverageError(
                f"coverage {coverage:g} was asked of a catalog with {self.count} examples; so high a one needs "
                f"{needed} or more, as it is read off examples that were held out; add examples, or ask for less"
            )
        # What was rounded down still belongs to the set.
        return max(0.0, float(1 - self.quantiles[math.ceil(level * POINTS)]) - 0.5 * 10**-DIGITS)
