import numpy as np
import pytest

from embeddings.arrays import DoubleArray
from embeddings.index.fitted_index import MAX_SCORE, STEPS, ExpectedScores


def numbers(first: float = 0.0) -> DoubleArray:
    return np.array([first, *range(1, STEPS)]) / STEPS


def test_each_cosine_has_the_numbers_of_its_range() -> None:
    mean, spread = ExpectedScores(numbers(), numbers()[::-1]).of(
        np.array([-0.3, 0.0, 0.04, 0.06, 0.99, 1.2], np.float32)
    )
    assert (mean * STEPS).round().tolist() == [0, 0, 0, 1, STEPS - 1, STEPS - 1]
    assert (spread * STEPS).round().tolist() == [STEPS - 1, STEPS - 1, STEPS - 1, STEPS - 2, 0, 0]


def test_numbers_are_stored_as_they_are() -> None:
    outlook = ExpectedScores(numbers(), numbers()[::-1])
    again = ExpectedScores(*(np.array(each, np.float64) for each in outlook.numbers()))
    np.testing.assert_array_equal([again.mean, again.spread], [outlook.mean, outlook.spread])


def test_numbers_of_no_use_are_refused() -> None:
    cases: list[DoubleArray] = [numbers()[:-1], numbers(first=np.nan), numbers(first=STEPS * (MAX_SCORE + 1))]
    for wrong in cases:
        for place in [0, 1]:
            parts = [numbers(), numbers()]
            parts[place] = wrong
            with pytest.raises(ValueError, match="expected scores are of use"):
                ExpectedScores(*parts)
