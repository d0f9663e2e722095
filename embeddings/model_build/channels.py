"""The hidden channels in another order: the same encoder, with less to lose in 8 bits.

A block of 8-bit values has one step for all, so a channel with large activations costs its block-mates precision. A few
channels are large in every layer. The hidden state may be kept in any order as long as all weights agree on it, and
sorting channels by size puts the large ones into blocks of their own, at no cost when the model runs.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

SPREAD: Final = 2
"""Standard deviations counted above a channel's mean: what LayerNorm puts out has mean `bias`, deviation `weight`."""


def order_by_size(weights: Mapping[str, FloatArray]) -> IntArray:
    """Hidden channels, those with the largest activations first, as every layer's LayerNorm bounds them.

    Args:
        weights: the tensors of the official `model.safetensors`, by name.

    Returns:
        int64 (hidden,), a permutation.
    """
    norms = sorted(name.removesuffix(".weight") for name in weights if name.endswith("LayerNorm.weight"))
    sizes = [np.abs(weights[f"{norm}.bias"]) + SPREAD * np.abs(weights[f"{norm}.weight"]) for norm in norms]
    return np.argsort(-np.mean(sizes, axis=0), kind="stable").astype(np.int64)


def reorder(weights: Mapping[str, FloatArray], order: IntArray) -> dict[str, FloatArray]:
    """The same encoder with its hidden channels in another order; what it gives is in that order too."""
    return {name: _reordered(name, weight, order) for name, weight in weights.items()}


def _reordered(name: str, weight: FloatArray, order: IntArray) -> FloatArray:
    if "LayerNorm" in name:
        return weight[order]
    # The product that follows attention, and the second of the feed-forward, put the hidden state out.
    if ".output.dense." in name:
        return weight[order]
    reads_hidden = "embeddings" in name or ".attention.self." in name or ".intermediate." in name
    return weight[:, order] if reads_hidden and weight.ndim == 2 else weight
