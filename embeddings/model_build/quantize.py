"""Quantizes the rows of a table to 8 bits, with one scale per row."""

from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray
from embeddings.index.quantization import step_of

LEVELS: Final = 127


def quantize_rows(table: FloatArray, levels: int = LEVELS) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Quantize a table, with one scale per row.

    Args:
        table: float32 (rows, width).
        levels: steps on either side of zero, 127 at most.

    Returns:
        int8 (rows, width) and float32 (rows, 1); a value is `int8 * scale`.
    """
    scales = step_of(np.abs(table).max(axis=1, keepdims=True), levels)
    return np.clip(np.rint(table / scales), -levels, levels).astype(np.int8), scales
