"""Turns signals into probabilities: a conditional logit (McFadden, 1974) over the labels and "none of them".

Every label, and "none", has a utility: a weighted sum of its signals. The probabilities are the softmax of the
utilities, so they add up to one, and the same model gives both the ranking and the confidences.
"""

import numpy as np
import numpy.typing as npt

from embeddings.arrays import DoubleArray


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
