import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from embeddings.projection import STEP, move_apart, pair_distances, spread

COORDINATE = st.sampled_from([-1.0, -0.5, 0.0, 0.001, 0.5, 0.9996, 1.0])


@given(st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=60))
def test_each_point_gets_a_place_of_its_own_within_the_picture(points: list[tuple[float, float]]) -> None:
    found = spread(np.array(points))
    assert np.abs(found).max() <= 1
    assert len(np.unique(found, axis=0)) == len(points)
    assert np.abs(found - np.array(points)).max() < 8 * STEP * np.sqrt(len(points)) + 0.001


def test_points_that_are_apart_stay() -> None:
    points = np.array([[0.1, 0.2], [0.101, 0.2], [-1.0, 1.0]])
    np.testing.assert_array_equal(spread(points), points)


def test_the_first_of_equal_points_stays_and_the_others_are_close() -> None:
    found = spread(np.full((5, 2), 0.5))
    assert found[0].tolist() == [0.5, 0.5]
    assert 0 < np.linalg.norm(found[1:] - 0.5, axis=1).max() < 0.02


def test_thousands_of_equal_points_do_not_meet() -> None:
    assert len(np.unique(spread(np.zeros((5_000, 2))), axis=0)) == 5_000


def test_there_is_no_negative_zero() -> None:
    assert not np.signbit(spread(np.array([[-0.0001, 0.0]]))).any()


def test_places_that_are_close_are_pushed_apart() -> None:
    for labels in [2, 48, 200]:
        places = np.random.default_rng(3).normal(size=(labels, 2)) * 0.3
        distances, _, _ = pair_distances(move_apart(places.clip(-1, 1)))
        assert distances[~np.eye(labels, dtype=bool)].min() > 0.95 / np.sqrt(labels), labels


def test_places_that_are_apart_are_not_moved() -> None:
    places = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(move_apart(places), places)
