"""A catalog in a plane: each phrase lies between the labels that it resembles, and so does a query."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Phrase
from embeddings.projection.centres import Centres
from embeddings.projection.selection import shown_rows
from embeddings.projection.spreading import spread

_AT_ONCE: Final = 2_048
"""Phrases that are placed at once, so that tables of phrases by labels stay small."""


@dataclass(frozen=True)
class Projection:
    """Places of labels and phrases, all within [-1, 1].

    Attributes:
        labels: float64 (labels, 2), rounded to three digits.
        phrases: those that are drawn, in the order of the catalog; the label of an out-of-scope phrase is the number of
            labels.
        points: float64 (phrases, 2), rounded to three digits; equal ones are moved apart a little.
        left_out: number of phrases that are not drawn because there are too many.
        centres: what the phrases lie between; the centre of the out-of-scope phrases is not among the labels.
    """

    labels: DoubleArray
    phrases: tuple[Phrase, ...]
    points: DoubleArray
    left_out: int
    centres: Centres

    @classmethod
    def of(cls, corpus: Corpus, vectors: FloatArray, most: int) -> "Projection":
        """Draw a catalog.

        Args:
            corpus: the catalog.
            vectors: float32 (n, k), of its phrases; of unit length, or zero.
            most: maximum number of phrases that are drawn; with more, each label has an even share of them.
        """
        centres = Centres.of(corpus.spans, vectors)
        rows, left_out = shown_rows(corpus, most)
        parts = [rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE)]
        placed = np.concatenate([centres.between(vectors[part]) for part in parts])
        return cls(
            labels=_rounded(centres.places[: corpus.spans.labels]),
            phrases=tuple(corpus.phrases[row] for row in rows.tolist()),
            points=spread(placed),
            left_out=left_out,
            centres=centres,
        )

    def place(self, nearness: FloatArray) -> tuple[float, float]:
        """Return the place of a query, rounded to three digits.

        Args:
            nearness: float32 (n,), its cosines to all phrases of the corpus.
        """
        across, along = _rounded(self.centres.of_query(nearness)).tolist()
        return across, along


def _rounded(values: DoubleArray) -> DoubleArray:
    """Round to three digits, without -0.0."""
    return np.round(values, 3) + 0.0
