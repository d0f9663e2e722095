"""The ranking head as queries use it: kernel ridge regression from cosines to labels.

With K(a, b) = exp((a . b - 1) / WIDTH), a label's score for a query q is the sum of its coefficients, each times
K(q, z) of its landmark z. `embeddings.training.kernel_ridge` fits the coefficients.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import MAX_MAGNITUDE, FloatArray, IntArray, ascending, require, within

WIDTH: Final = 0.4
"""Measured on CLINC150, 10 phrases an intent, 3 seeds, without whitening: first place 0.876 at 0.1, 0.899 at 0.2, 0.903
at 0.3, 0.904 at 0.5; area under the ROC curve for out-of-scope 0.957, 0.965, 0.964, 0.960. Between 0.3 and 0.5 little
changes, with whitening too."""


NARROW: Final = 256
"""Maximum columns of coefficients that are stored one after another; longer rows are read as fast as columns."""


def kernel(left: FloatArray, right: FloatArray) -> FloatArray:
    """K between two sets of unit vectors: float32 (len(left), len(right)) in (0, 1]."""
    return bell(left @ right.T)


def bell(similarities: FloatArray) -> FloatArray:
    """Return the kernel's value at a cosine: 1 at cosine 1.

    Works in one copy, as there can be a hundred million of them.
    """
    values = similarities - np.float32(1)
    values *= np.float32(1 / WIDTH)
    np.exp(values, out=values)
    return values


@dataclass(frozen=True)
class KernelRidge:
    """A fitted head.

    Attributes:
        landmarks: int64 (m,), rows of the phrase vectors that the kernel is taken to.
        coefficients: float32 (m, labels + 1); the last column is "none of them". Few columns are stored one after
            another, which makes a product with one row a third faster.
    """

    landmarks: IntArray
    coefficients: FloatArray

    def __post_init__(self) -> None:
        """Store a narrow matrix by columns."""
        if self.coefficients.ndim == 2 and self.coefficients.shape[1] <= NARROW:
            object.__setattr__(self, "coefficients", np.asfortranarray(self.coefficients))

    def check(self, texts: int, labels: int) -> None:
        """Raise ValueError unless the arrays, whose types are known, are such as `fit` makes for so many texts."""
        rows = len(self.landmarks)
        require(self.coefficients.shape == (rows, labels + 1), "there is one coefficient a landmark and label")
        # Ascending, so that as many as there are phrases are the phrases.
        require(rows > 0 and ascending(self.landmarks, strictly=True), "landmarks ascend")
        require(within(self.landmarks, 0, texts - 1), "landmarks are phrases")
        require(within(self.coefficients, -MAX_MAGNITUDE, MAX_MAGNITUDE), "coefficients are of use in float32")

    def kernels(self, similarities: FloatArray) -> FloatArray:
        """K of one query and each landmark, float32 (m,), from the query's cosines to all phrases."""
        return bell(similarities if len(self.landmarks) == len(similarities) else similarities[self.landmarks])

    def scores(self, similarities: FloatArray) -> FloatArray:
        """Scores of one query from its cosines to all phrases: float32 (labels + 1,), about 1 for a sure label."""
        scores: FloatArray = self.kernels(similarities) @ self.coefficients
        return scores
