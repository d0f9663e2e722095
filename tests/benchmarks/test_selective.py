import numpy as np
import pytest

from benchmarks.few_examples import calibration_error
from benchmarks.selective import au_ioc, risk


def test_risk_is_of_the_surest_answers_alone() -> None:
    sure, right = np.array([0.9, 0.2, 0.8, 0.1]), np.array([True, False, False, True])
    assert [risk(sure, right, share) for share in (0.25, 0.5, 1)] == [0, 0.5, 0.5]


def test_who_tells_apart_what_is_in_scope_has_an_area_of_the_accuracy() -> None:
    sure, inside = np.array([0.9, 0.8, 0.3, 0.1]), np.array([True, True, False, False])
    assert au_ioc(sure, inside, inside) == 1
    assert au_ioc(sure, np.array([True, False, False, False]), inside) == 0.5
    assert au_ioc(1 - sure, inside, inside) == 0


def test_a_score_that_is_right_as_often_as_it_says_has_no_calibration_error() -> None:
    assert calibration_error(np.full(4, 0.75), np.array([True, True, True, False])) == pytest.approx(0)
    assert calibration_error(np.full(4, 0.95), np.array([True, True, False, False])) == pytest.approx(0.45)
