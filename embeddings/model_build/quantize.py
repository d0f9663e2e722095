"""Eight-bit rows of a table, a scale each."""

from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.blocks import step_of

FloatArray = npt.NDArray[np.float32]


LEVELS: Final = 127


def quantize_rows(table: FloatArray, levels: int = LEVELS) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Quantize a table, one scale a row.

    Args:
        table: float32 (rows, width).
        levels: steps to either side of zero, 127 at most.

    Returns:
        int8 (rows, width) and float32 (rows, 1); a value is `int8 * scale`.
    """
    scales = step_of(np.abs(table).max(axis=1, keepdims=True), levels)
    return np.clip(np.rint(table / scales), -levels, levels).astype(np.int8), scales
