"""The centres of labels in a plane, and what lies between them."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.labels.spans import Spans
from embeddings.projection.label_places import label_places

SHARPNESS: Final = 1 / 0.02
"""A label attracts a phrase more by e for each 0.02 of cosine.

Of the 14,053 phrases of the shipped catalog's 48 labels, 43% have on the picture a nearest phrase of the same label
(44% with 0.015, 38% with 0.03, 33% with 0.04), and 37% if out-of-scope phrases are drawn, too (37%, 34%, 31%). With
two principal components it is 4%, with those of the labels' means 7%; among the vectors themselves, it is 65%.
Trustworthiness for 10 neighbours is 0.73 (0.74, 0.70, 0.68), and with principal components 0.62.
"""


@dataclass(frozen=True)
class Centres:
    """The mean directions of labels' phrases, and of out-of-scope phrases if there are any, and their places.

    Attributes:
        spans: where each label's phrases are.
        directions: float64 (centres, k), of unit length, or zero.
        lengths: float64 (centres,), lengths of the sums of the phrases' vectors; 1 for a sum of zero.
        places: float64 (centres, 2), within [-1, 1].
    """

    spans: Spans
    directions: DoubleArray
    lengths: DoubleArray
    places: DoubleArray

    @classmethod
    def of(cls, spans: Spans, vectors: FloatArray) -> Self:
        """Place the centres of phrases with some vectors, (n, k)."""
        sums = _sums(spans, vectors)
        lengths = np.linalg.norm(sums, axis=1)
        lengths = np.where(lengths < 1e-9, 1.0, lengths)
        directions = sums / lengths[:, None]
        return cls(spans, directions, lengths, label_places(directions))

    def between(self, vectors: FloatArray) -> DoubleArray:
        """Place vectors, (m, k), between the centres that they resemble: (m, 2)."""
        return self._weighted(vectors.astype(np.float64) @ self.directions.T)

    def of_query(self, nearness: FloatArray) -> DoubleArray:
        """Place what has some cosines to all phrases, (n,), of which those to the centres follow: (2,)."""
        return np.ravel(self._weighted((_sums(self.spans, nearness) / self.lengths)[None]))

    def _weighted(self, cosines: DoubleArray) -> DoubleArray:
        # In double precision, so that another processor's order of additions hardly ever shows in three digits.
        weights = np.exp((cosines - cosines.max(axis=1, keepdims=True)) * SHARPNESS)
        placed: DoubleArray = weights @ self.places / weights.sum(axis=1, keepdims=True)
        return placed


def _sums(spans: Spans, values: FloatArray) -> DoubleArray:
    """Sums over each label's phrases, and over the out-of-scope phrases if there are any."""
    starts = spans.starts if spans.has_none else spans.starts[:-1]
    return np.asarray(np.add.reduceat(values, starts, axis=0, dtype=np.float64), dtype=np.float64)
