"""A conditional logit in which a query may have several right answers."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.priors.measured import Measured
from embeddings.arrays import BoolArray, DoubleArray
from embeddings.ranking.ranking import probabilities

RIDGE: Final = 0.1
"""Strength of the pull of each weight towards zero."""
_STEPS: Final = 60
_TOLERANCE: Final = 1e-7
_SMALLEST: Final = 1e-6
_TINY: Final = 1e-30


def fit(measured: Sequence[Measured], free: BoolArray) -> DoubleArray:
    """Find the weights under which the right answers of each query are, together, most likely.

    Args:
        measured: the catalogs.
        free: bool (signals,), the signals that get a weight; the others have none.

    Returns:
        float64 (signals,).
    """
    data = [(each.features[:, :, free].astype(np.float64), each.right, each.importance) for each in measured]
    weights = np.zeros(int(free.sum()))
    height, gradient, curvature = _derivatives(data, weights)
    for _ in range(_STEPS):
        step, share = np.linalg.solve(curvature, gradient), 1.0
        reached, gradient, curvature = _derivatives(data, weights + step)
        # The function is not concave where there are several right answers, so a full step can overshoot.
        while reached <= height and share > _SMALLEST:
            share /= 2
            reached, gradient, curvature = _derivatives(data, weights + share * step)
        if reached - height < _TOLERANCE * abs(height):
            break
        weights, height = weights + share * step, reached
    found = np.zeros(len(free))
    found[free] = weights
    return found


def _derivatives(
    data: Sequence[tuple[DoubleArray, BoolArray, DoubleArray]], weights: DoubleArray
) -> tuple[float, DoubleArray, DoubleArray]:
    """Compute the penalized log-likelihood, its gradient, and a bound of its negated second derivatives."""
    height = -RIDGE * float(weights @ weights) / 2
    gradient, curvature = -RIDGE * weights, RIDGE * np.eye(len(weights))
    for features, right, importance in data:
        share = probabilities(features, weights)
        on_right = (share * right).sum(axis=1) + _TINY
        height += float(importance @ np.log(on_right))
        wanted = share * right / on_right[:, None]
        gradient = gradient + np.einsum("qa,qas->s", (wanted - share) * importance[:, None], features)
        expected = np.einsum("qa,qas->qs", share, features)
        spread = features * (share * importance[:, None])[:, :, None]
        second = np.tensordot(spread, features, axes=([0, 1], [0, 1]))
        curvature = curvature + second - (expected * importance[:, None]).T @ expected
    return height, gradient, curvature
