import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.metrics import area_under_roc, calibration_error

scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


@given(scores, scores)
def test_the_area_is_the_share_of_pairs_in_order(positive: list[float], negative: list[float]) -> None:
    pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    assert area_under_roc(np.array(positive), np.array(negative)) == pytest.approx(sum(pairs) / len(pairs))


def test_the_area_of_nothing_is_not_a_number() -> None:
    assert math.isnan(area_under_roc(np.array([]), np.array([1.0])))


def test_confidence_that_comes_true_has_no_calibration_error() -> None:
    confidence = np.array([0.5, 0.5, 1.0, 1.0])
    assert calibration_error(confidence, np.array([True, False, True, True]), bins=2) == 0


def test_confidence_without_a_right_answer_is_all_error() -> None:
    assert calibration_error(np.full(30, 0.9), np.zeros(30, dtype=bool)) == pytest.approx(0.9)
