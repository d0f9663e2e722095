"""The fit finds the weights under which the right answers are likeliest."""

import numpy as np
import pytest

from benchmarks.priors.logit import fit
from benchmarks.priors.measured import Measured

FREE = np.array([True, True])


def measured(features: list[list[list[float]]], right: list[list[bool]], importance: list[float]) -> Measured:
    return Measured(np.array(features, dtype=np.float32), np.array(right), np.array(importance))


def shares(weights: np.ndarray, features: list[list[float]]) -> np.ndarray:
    raised = np.exp(np.array(features) @ weights)
    return np.asarray(raised / raised.sum())


ONE = [[1.0, 0.0], [0.0, 1.0]]


def test_shares_of_a_query_follow_the_importance_of_its_answers() -> None:
    data = measured([ONE, ONE], [[True, False], [False, True]], [3000, 1000])
    assert shares(fit([data], FREE), ONE) == pytest.approx([0.75, 0.25], abs=1e-3)


def test_any_of_several_right_answers_will_do() -> None:
    three = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    both, third = [True, True, False], [False, False, True]
    found = shares(fit([measured([three, three], [both, third], [3000, 1000])], FREE), three)
    assert found[0] + found[1] == pytest.approx(0.75, abs=1e-3)


def test_signals_that_are_not_free_have_no_weight() -> None:
    found = fit([measured([ONE], [[True, False]], [10])], np.array([True, False]))
    assert found[1] == 0 < found[0]
