"""Reorders the hidden channels: the same encoder, which loses less precision in 8 bits.

All values of an 8-bit block share one step, so a channel with large activations reduces the precision of the others in
its block. A few channels are large in every layer. The hidden state can be kept in any order if all weights use the
same one. Sorting channels by size puts the large ones into separate blocks, at no cost when the model runs.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray, IntArray

SPREAD: Final = 2
"""Standard deviations added to a channel's mean. LayerNorm's output has mean `bias` and standard deviation `weight`."""


def order_by_size(weights: Mapping[str, FloatArray]) -> IntArray:
    """Sort the hidden channels by activation size, largest first, as estimated from every layer's LayerNorm.

    Args:
        weights: the tensors of the official `model.safetensors`, by name.

    Returns:
        int64 (hidden,), a permutation.
    """
    norms = sorted(name.removesuffix(".weight") for name in weights if name.endswith("LayerNorm.weight"))
    sizes = [np.abs(weights[f"{norm}.bias"]) + SPREAD * np.abs(weights[f"{norm}.weight"]) for norm in norms]
    return np.argsort(-np.mean(sizes, axis=0), kind="stable").astype(np.int64)


def reorder(weights: Mapping[str, FloatArray], order: IntArray) -> dict[str, FloatArray]:
    """Return the same encoder with its hidden channels in another order; its output has that order, too."""
    return {name: _reordered(name, weight, order) for name, weight in weights.items()}


def _reordered(name: str, weight: FloatArray, order: IntArray) -> FloatArray:
    if "LayerNorm" in name:
        return weight[order]
    # The attention's output product and the second feed-forward product write the hidden state.
    if ".output.dense." in name:
        return weight[order]
    reads_hidden = "embeddings" in name or ".attention.self." in name or ".intermediate." in name
    return weight[:, order] if reads_hidden and weight.ndim == 2 else weight
