"""Eight-bit rows of an embedding table."""

import numpy as np
import numpy.typing as npt

from embeddings.blocks import step_of

FloatArray = npt.NDArray[np.float32]


def quantize_rows(table: FloatArray) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Quantize an embedding table, one scale a row.

    Args:
        table: float32 (rows, width).

    Returns:
        int8 (rows, width) and float32 (rows, 1); a value is `int8 * scale`.
    """
    scales = step_of(np.abs(table).max(axis=1, keepdims=True))
    return np.clip(np.rint(table / scales), -127, 127).astype(np.int8), scales
