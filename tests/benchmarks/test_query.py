import numpy as np

from benchmarks.query import summary


def test_each_query_counts_with_its_median_over_the_rounds() -> None:
    times = np.array([[[1.0], [10.0]], [[3.0], [20.0]], [[100.0], [30.0]]])
    assert summary(times) == {"mean us": 11.5, "median us": 11.5}


def test_the_ratio_is_of_this_checkout_to_the_other() -> None:
    times = np.array([[[1.0, 2.0], [3.0, 4.0]]] * 3)
    found = summary(times)
    assert found["ratio of means"] == round(4 / 6, 3)
    assert found["median ratio"] == 0.625
    assert (found["lowest round"], found["highest round"]) == (0.667, 0.667)
