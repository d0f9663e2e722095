"""Places of labels in a plane, so that distances resemble those of their vectors: stress majorization (SMACOF)."""

from typing import Final

import numpy as np

from embeddings.arrays import DoubleArray
from embeddings.projection.spreading import move_apart, pair_distances, spread

ROUNDS: Final = 1_000
"""Rounds of majorization; 2,000 more move none of the shipped 48 labels by more than 0.04, and half by at most 0.01."""

MOST_STEPS: Final = 150_000_000
"""Pairs of labels times rounds: 500 labels have 600 rounds, which take one second, and 2,000 have 37."""

MOST_LABELS: Final = 2_000
"""With more labels, their places are their principal components: tables of all pairs take too much memory."""


def label_places(means: DoubleArray) -> DoubleArray:
    """Place labels by their mean vectors: float64 (labels, 2), within [-1, 1].

    The start and the distances are rounded before they are used, so that other machines come to the same places.

    Args:
        means: (labels, k), of unit length, or zero.
    """
    places = _principal(means)
    if len(means) > MOST_LABELS:
        return fitted(spread(fitted(places)))
    distances = np.round(1 - means @ means.T, 4).clip(min=0)
    np.fill_diagonal(distances, 0)
    for _ in range(min(ROUNDS, MOST_STEPS // len(means) ** 2)):
        places = _majorized(places, distances)
    return fitted(move_apart(fitted(places)))


def fitted(places: DoubleArray) -> DoubleArray:
    """Move and scale places, so that they fill [-1, 1] in the longer direction around 0."""
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    extent = float(np.abs(places).max())
    return places / extent if extent > 1e-9 else np.zeros_like(places)


def _principal(means: DoubleArray) -> DoubleArray:
    """The first two principal components of the means, which is where classical scaling would put them."""
    left, sizes, _ = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    places = np.zeros((len(means), 2))
    found = left[:, :2] * sizes[:2]
    places[:, : found.shape[1]] = found
    signs = np.where((places**3).sum(axis=0) < 0, -1.0, 1.0)
    return np.round(places * signs, 4)


def _majorized(places: DoubleArray, distances: DoubleArray) -> DoubleArray:
    """One round: the Guttman transform with equal weights."""
    apart, _, _ = pair_distances(places)
    ratios = np.divide(distances, apart, out=np.zeros_like(apart), where=apart > 1e-9)
    moved: DoubleArray = (places * ratios.sum(axis=1)[:, None] - ratios @ places) / len(places)
    return moved
