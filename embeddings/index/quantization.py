"""8-bit matrices in blocks with one scale per block: the layout of ONNX Runtime's `MatMulNBits`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import ByteArray, FloatArray, IntArray

ACCURACY_LEVEL: Final = 4
"""Lets the operator quantize its input to int8 as well, each row and block separately."""

ZERO_POINT: Final = 128
"""The value that stands for 0.0; the operator's default."""


@dataclass(frozen=True)
class Blocks:
    """A matrix whose rows are divided into blocks.

    Attributes:
        values: uint8 (rows, blocks, block size); 0.0 is stored as 128, as is the padding of a row's last block.
        scales: float32 (rows, blocks); a number is `(value - 128) * scale`.
        width: numbers in a row.
    """

    values: ByteArray
    scales: FloatArray
    width: int

    @property
    def block_size(self) -> int:
        """How many numbers share a scale."""
        return int(self.values.shape[2])

    @classmethod
    def joined(cls, parts: Sequence["Blocks"]) -> "Blocks":
        """Return the rows of matrices of equal width, one matrix after another."""
        values = np.concatenate([part.values for part in parts])
        return cls(values, np.concatenate([part.scales for part in parts]), parts[0].width)

    def rows(self, chosen: slice | IntArray) -> "Blocks":
        """Return some rows of the matrix."""
        return Blocks(self.values[chosen], self.scales[chosen], self.width)

    def restore(self) -> FloatArray:
        """Dequantize to float32 (rows, width); each number is off by half a scale at most."""
        numbers = (self.values.astype(np.float32) - ZERO_POINT) * self.scales[:, :, None]
        rows, count, size = self.values.shape
        return np.ascontiguousarray(numbers.reshape(rows, count * size)[:, : self.width])


def quantize(matrix: FloatArray, block_size: int) -> Blocks:
    """Quantize symmetrically, so that each block's largest magnitude is 127 steps.

    Args:
        matrix: float32 (rows, width).
        block_size: 16, 32, 64, 128 or 256, the sizes that the operator supports.
    """
    rows, width = matrix.shape
    count = -(-width // block_size)
    padded = np.zeros((rows, count * block_size), dtype=np.float32)
    padded[:, :width] = matrix
    blocks = padded.reshape(rows, count, block_size)
    scales = step_of(np.abs(blocks).max(axis=2))
    values = np.clip(np.rint(blocks / scales[:, :, None]) + ZERO_POINT, 0, 255).astype(np.uint8)
    return Blocks(values, scales, width)


def step_of(largest: FloatArray, levels: int = 127) -> FloatArray:
    """Compute the step so that the largest magnitude is `levels` steps; 1.0 where everything is zero."""
    return np.where(largest > 0, largest / levels, 1).astype(np.float32)
