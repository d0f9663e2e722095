"""A catalog drawn in two dimensions: places of its labels, its phrases and of queries."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.labels.corpus import Corpus, Spans
from embeddings.labels.label import Phrase

_GOLDEN_ANGLE: Final = np.pi * (3 - np.sqrt(5))
"""Turning by it, the points of a spiral are evenly apart."""

_PASSES: Final = 8
_ROUNDS: Final = 200

STEP: Final = 0.004
"""Distance between phrases that would be at one place: two pixels of a picture with 1,000."""


def spread(points: DoubleArray, step: float = STEP) -> DoubleArray:
    """Move points with equal coordinates onto a spiral around these; the first one stays.

    Args:
        points: (n, 2), within [-1, 1].
        step: distance between neighbours on the spiral.

    Returns:
        (n, 2), rounded to three digits and within [-1, 1]. Where hundreds share a place, two may still meet.
    """
    points = np.round(points, 3)
    for _ in range(_PASSES):
        turns = _turns(points)
        if not turns.any():
            break
        angles, radii = turns * _GOLDEN_ANGLE, step * np.sqrt(turns)
        points = points + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        points = np.round(_reflected(points), 3)
    return points + 0.0  # -0.0 becomes 0.0.


def _turns(points: DoubleArray) -> IntArray:
    """Return how many points before each have the same coordinates."""
    keys = np.rint(points * 1000).astype(np.int64) @ np.array([10_000, 1])
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], keys[order])
    turns = np.empty(len(points), dtype=np.int64)
    turns[order] = np.arange(len(points)) - first
    return turns


def _reflected(points: DoubleArray) -> DoubleArray:
    """Fold what is beyond 1 or -1 back."""
    folded = np.where(np.abs(points) > 1, np.sign(points) * 2 - points, points)
    return np.asarray(folded.clip(-1, 1), dtype=np.float64)


def move_apart(places: DoubleArray) -> DoubleArray:
    """Push places apart that are closer than places spread evenly would often be.

    Args:
        places: (n, 2), within [-1, 1].
    """
    gap = 1 / np.sqrt(len(places))
    places = spread(places, gap / 2)
    for _ in range(_ROUNDS):
        moves = _pushes(places, gap)
        if np.abs(moves).max(initial=0.0) < gap / 1000:
            break
        places = places + moves.clip(-gap, gap)
    return places


def _pushes(places: DoubleArray, gap: float) -> DoubleArray:
    """Return how far each place is pushed by places closer than the gap: each of two by half of what is missing."""
    apart, across, along = pair_distances(places)
    np.fill_diagonal(apart, np.inf)
    shares = np.maximum(gap / np.maximum(apart, 1e-6) - 1, 0) / 2
    return np.stack([(across * shares).sum(axis=1), (along * shares).sum(axis=1)], axis=1)


def pair_distances(places: DoubleArray) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Distances of all pairs of places, and the differences in both directions: (n, n) each."""
    across, along = (np.subtract.outer(axis, axis) for axis in places.T)
    return np.sqrt(across * across + along * along), across, along


ROUNDS: Final = 1_000
"""Rounds of majorization; 2,000 more move none of the shipped 48 labels by more than 0.04, and half by at most 0.01."""

MAX_STEPS: Final = 150_000_000
"""Pairs of labels times rounds: 500 labels have 600 rounds, which take one second, and 2,000 have 37."""

MAX_LABELS: Final = 2_000
"""With more labels, their places are their principal components: tables of all pairs take too much memory."""


def label_places(means: DoubleArray) -> DoubleArray:
    """Place labels by their mean vectors: float64 (labels, 2), within [-1, 1].

    The start and the distances are rounded before they are used, so that other machines come to the same places.

    Args:
        means: (labels, k), of unit length, or zero.
    """
    places = _principal(means)
    if len(means) > MAX_LABELS:
        return fitted(spread(fitted(places)))
    distances = np.round(1 - means @ means.T, 4).clip(min=0)
    np.fill_diagonal(distances, 0)
    for _ in range(min(ROUNDS, MAX_STEPS // len(means) ** 2)):
        places = _majorized(places, distances)
    return fitted(move_apart(fitted(places)))


def fitted(places: DoubleArray) -> DoubleArray:
    """Move and scale places, so that they fill [-1, 1] in the longer direction around 0."""
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    extent = float(np.abs(places).max())
    return places / extent if extent > 1e-9 else np.zeros_like(places)


def _principal(means: DoubleArray) -> DoubleArray:
    """Return the first two principal components of the means, which is where classical scaling would put them."""
    left, sizes, _ = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    places = np.zeros((len(means), 2))
    found = left[:, :2] * sizes[:2]
    places[:, : found.shape[1]] = found
    signs = np.where((places**3).sum(axis=0) < 0, -1.0, 1.0)
    return np.round(places * signs, 4)


def _majorized(places: DoubleArray, distances: DoubleArray) -> DoubleArray:
    """Return one round: the Guttman transform with equal weights."""
    apart, _, _ = pair_distances(places)
    ratios = np.divide(distances, apart, out=np.zeros_like(apart), where=apart > 1e-9)
    moved: DoubleArray = (places * ratios.sum(axis=1)[:, None] - ratios @ places) / len(places)
    return moved


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


def shown_rows(corpus: Corpus, most: int) -> tuple[IntArray, int]:
    """Choose phrases of a catalog, and count those left out; the built-in background is not the catalog's.

    Args:
        corpus: the catalog.
        most: maximum number of phrases. With more, every label has the same number of phrases, or all if it has fewer,
            evenly spaced in the order of the catalog.
    """
    own = np.array([phrase.kind != "background" for phrase in corpus.phrases])
    rows = np.flatnonzero(own)
    if len(rows) <= most:
        return rows, 0
    groups = np.split(rows, np.flatnonzero(np.diff(corpus.owners[rows])) + 1)
    each = _even_share([len(group) for group in groups], most)
    # With more labels than points, a label has none or one of them.
    chosen = np.concatenate([_evenly(group, each) for group in groups]) if each else _evenly(rows, most)
    return chosen, len(rows) - len(chosen)


def _even_share(sizes: list[int], most: int) -> int:
    """Return the largest number that every group can have without exceeding `most` in total."""
    low, high = 0, max(sizes)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in sizes) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _evenly(rows: IntArray, count: int) -> IntArray:
    if len(rows) <= count:
        return rows
    return rows[np.arange(count) * len(rows) // count]


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
