"""Eight-bit weights: blocks of a matrix's input axis, and rows of an embedding table."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]

ZERO_POINT: Final = 128
"""The value that stands for 0.0 in an unsigned block; the default of ONNX Runtime's `MatMulNBits`."""


@dataclass(frozen=True)
class BlockQuantized:
    """A matrix in the layout of ONNX Runtime's `MatMulNBits`.

    Attributes:
        values: uint8 (outputs, blocks, block_size); 0.0 is stored as 128.
        scales: float32 (outputs * blocks,); a weight is `(value - 128) * scale`.
    """

    values: npt.NDArray[np.uint8]
    scales: FloatArray


def quantize_blocks(weight: FloatArray, block_size: int) -> BlockQuantized:
    """Quantize a dense layer's weight symmetrically, one scale for each block of inputs.

    Args:
        weight: float32 (outputs, inputs), as PyTorch stores a `Linear`.
        block_size: inputs per scale; must divide the number of inputs.

    Raises:
        ValueError: `block_size` does not divide the number of inputs.
    """
    outputs, inputs = weight.shape
    if inputs % block_size:
        raise ValueError(f"block size {block_size} does not divide {inputs} inputs; choose a divisor")
    blocks = weight.reshape(outputs, inputs // block_size, block_size)
    scales = _scale_of(np.abs(blocks).max(axis=2))
    values = np.clip(np.rint(blocks / scales[:, :, None]) + ZERO_POINT, 0, 255).astype(np.uint8)
    return BlockQuantized(values, scales.reshape(-1))


def quantize_rows(table: FloatArray) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Quantize an embedding table, one scale a row.

    Args:
        table: float32 (rows, width).

    Returns:
        int8 (rows, width) and float32 (rows, 1); a value is `int8 * scale`.
    """
    scales = _scale_of(np.abs(table).max(axis=1, keepdims=True))
    return np.clip(np.rint(table / scales), -127, 127).astype(np.int8), scales


def _scale_of(largest: FloatArray) -> FloatArray:
    """The step that spreads [-largest, largest] over 255 levels; 1.0 where everything is zero."""
    return np.where(largest > 0, largest / 127, 1).astype(np.float32)
