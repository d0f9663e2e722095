"""Array types shared by the modules."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
"""Vectors, similarities and other large arrays."""

DoubleArray = npt.NDArray[np.float64]
"""Fitted or measured values: weights, probabilities, metrics."""

IntArray = npt.NDArray[np.int64]

BoolArray = npt.NDArray[np.bool_]

ByteArray = npt.NDArray[np.uint8]
