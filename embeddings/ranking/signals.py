"""Assembles the signals of each label for one query: the columns that the conditional logit weights."""

from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.index.signal_names import LABEL_SIGNALS, SIGNALS

_LABEL_COLUMNS: Final = len(LABEL_SIGNALS)


def assemble(kernel: FloatArray, cosine: FloatArray, spelling: FloatArray, substring: FloatArray) -> FloatArray:
    """Assemble the signals of one query into a matrix; see `LABEL_SIGNALS` for their meaning.

    Args:
        kernel: (labels + 1,), "none" last.
        cosine: (labels + 1,), "none" last.
        spelling: (labels + 1,), "none" last.
        substring: (labels,).

    Returns:
        float32 (labels + 1, signals), columns as in `SIGNALS`; the last row is "none of them".
    """
    labels = len(substring)
    values = np.zeros((labels + 1, len(SIGNALS)), dtype=np.float32)
    for column, signal in enumerate((kernel, cosine, spelling)):
        values[:labels, column] = signal[:labels]
        values[labels, _LABEL_COLUMNS + 1 + column] = signal[labels]
    values[:labels, _LABEL_COLUMNS - 1] = substring
    values[labels, _LABEL_COLUMNS] = 1
    return values
