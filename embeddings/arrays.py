"""Array types shared by the modules."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
"""Vectors, similarities and other large arrays."""

DoubleArray = npt.NDArray[np.float64]
"""Fitted or measured values: weights, probabilities, metrics."""

IntArray = npt.NDArray[np.int64]

BoolArray = npt.NDArray[np.bool_]

ByteArray = npt.NDArray[np.uint8]


MAX_MAGNITUDE: Final = 1e9
"""Largest magnitude accepted for a number that queries are multiplied by. Builds write a few thousand at most. The sum
of a billion products of two numbers of this size is 1e27, far below the largest float32, 3e38."""


def halved(numbers: npt.NDArray[Any]) -> FloatArray:
    """Round to the half precision in which files store large arrays (11 bits, at most 65,504), as float32."""
    return numbers.astype(np.float16).astype(np.float32)


def require(holds: bool | np.bool_, rule: str) -> None:
    """Raise ValueError, naming the rule, unless `holds` is true."""
    if not holds:
        raise ValueError(f"it breaks the rule that {rule}")


def within(numbers: npt.NDArray[Any], low: float, high: float) -> bool:
    """Return whether all numbers are in [low, high]; False if any is NaN, True for an empty array."""
    # If any number is NaN, min and max are NaN and the comparison is false. Neither copies the array.
    return not numbers.size or bool(numbers.min() >= low and numbers.max() <= high)


def ascending(numbers: npt.NDArray[Any], *, strictly: bool) -> bool:
    """Return whether no number is less than the one before it; with `strictly`, whether each is greater."""
    # Compares neighbours instead of subtracting them, because differences of integers can overflow.
    before, after = numbers[:-1], numbers[1:]
    return bool((after > before if strictly else after >= before).all())
