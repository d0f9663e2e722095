"""Vectors row by row: all numbers of a phrase and their scales beside each other, so that one read gives both."""

import numpy as np

from embeddings.arrays import ByteArray
from embeddings.index.quantization import Blocks


def rows_of(blocks: Blocks) -> ByteArray:
    """The rows: uint8 (n, bytes)."""
    count = len(blocks.values)
    scales = np.ascontiguousarray(blocks.scales, dtype="<f4").view(np.uint8)
    return np.concatenate([blocks.values.reshape(count, -1), scales.reshape(count, -1)], axis=1)


def blocks_of(rows: ByteArray, count: int, size: int, width: int) -> Blocks:
    """The blocks in rows: so many of each, of so many numbers, of which `width` are the vector's."""
    numbers = count * size
    scales = np.ascontiguousarray(rows[:, numbers:]).view("<f4")
    return Blocks(rows[:, :numbers].reshape(len(rows), count, size), scales, width)
