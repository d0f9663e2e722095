"""What the ranking head says of a label that is as near to a query as this: it spares far labels their exact score."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.checks import require, within

STEPS: Final = 20
"""Ranges of cosines from 0 to 1; those below 0 belong to the first."""

MOST: Final = 4.0
"""Largest magnitude of a mean or a spread; scores are about 1 for a sure label."""

DECIMALS: Final = 4
"""Decimals that are stored."""


@dataclass(frozen=True)
class ExpectedScores:
    """Scores by the mean of a label's two largest cosines.

    Attributes:
        mean: float32 (STEPS,), of the scores of labels with a cosine in each range.
        spread: float32 (STEPS,), how far nearly all of them lie from it.
    """

    mean: FloatArray
    spread: FloatArray

    def __post_init__(self) -> None:
        """Raise ValueError unless there is a number of use for each range."""
        for values in (self.mean, self.spread):
            require(values.shape == (STEPS,) and within(values, -MOST, MOST), f"{STEPS} expected scores are of use")

    def numbers(self) -> list[list[float]]:
        """Means and spreads, for storage."""
        return [[round(number, DECIMALS) for number in each.tolist()] for each in (self.mean, self.spread)]

    def of(self, cosines: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The mean and the spread for each cosine."""
        ranges = steps(cosines)
        return self.mean[ranges], self.spread[ranges]


def steps(cosines: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """The range of each cosine."""
    return np.clip(cosines * STEPS, 0, STEPS - 1).astype(np.intp)
