"""Moves what would be drawn at one place apart."""

from typing import Final

import numpy as np

from embeddings.arrays import DoubleArray, IntArray

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
    """How many points before each have the same coordinates."""
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
    """How far each place is pushed by those that are closer than the gap: each of two by half of what is missing."""
    apart, across, along = pair_distances(places)
    np.fill_diagonal(apart, np.inf)
    shares = np.maximum(gap / np.maximum(apart, 1e-6) - 1, 0) / 2
    return np.stack([(across * shares).sum(axis=1), (along * shares).sum(axis=1)], axis=1)


def pair_distances(places: DoubleArray) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Distances of all pairs of places, and the differences in both directions: (n, n) each."""
    across, along = (np.subtract.outer(axis, axis) for axis in places.T)
    return np.sqrt(across * across + along * along), across, along
