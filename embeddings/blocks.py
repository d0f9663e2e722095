"""Eight-bit matrices in blocks, one scale each: the layout of ONNX Runtime's `MatMulNBits`."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]

ACCURACY_LEVEL: Final = 4
"""The operator may quantize what it multiplies to int8 as well, each row and block by itself."""

ZERO_POINT: Final = 128
"""The value that stands for 0.0; the operator's default."""


@dataclass(frozen=True)
class Blocks:
    """A matrix whose rows are cut into blocks.

    Attributes:
        values: uint8 (rows, blocks, block size); 0.0 is stored as 128, and so is what fills a row's last block up.
        scales: float32 (rows, blocks); a number is `(value - 128) * scale`.
        width: numbers in a row.
    """

    values: npt.NDArray[np.uint8]
    scales: FloatArray
    width: int

    @property
    def block_size(self) -> int:
        """Numbers that share a scale."""
        return int(self.values.shape[2])

    def restore(self) -> FloatArray:
        """The numbers again, each off by half a scale at most: float32 (rows, width)."""
        numbers = (self.values.astype(np.float32) - ZERO_POINT) * self.scales[:, :, None]
        rows, count, size = self.values.shape
        return np.ascontiguousarray(numbers.reshape(rows, count * size)[:, : self.width])


def quantize(matrix: FloatArray, block_size: int) -> Blocks:
    """Quantize symmetrically: each block's largest magnitude becomes 127 steps.

    Args:
        matrix: float32 (rows, width).
        block_size: 16, 32, 64, 128 or 256, which are what the operator takes.
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
    """The step that makes the largest magnitude `levels` steps; 1.0 where everything is zero."""
    return np.where(largest > 0, largest / levels, 1).astype(np.float32)
