import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.training.conditional_logit import FOLDS, MAX_HELD_OUT, assign_folds

OWNERS = st.lists(st.integers(0, 6), max_size=40)


@settings(deadline=None)
@given(OWNERS)
def test_every_phrase_has_one_of_the_folds(owners: list[int]) -> None:
    assert set(assign_folds(np.array(owners, dtype=np.int64)).tolist()) <= set(range(FOLDS))


@settings(deadline=None)
@given(OWNERS, st.integers(2, 7))
def test_a_label_is_spread_over_the_folds_as_evenly_as_can_be(owners: list[int], folds: int) -> None:
    labels = np.array(owners, dtype=np.int64)
    assigned = assign_folds(labels, folds)
    for label in set(owners):
        counts = np.bincount(assigned[labels == label], minlength=folds)
        assert counts.max() - counts.min() <= 1


def test_the_same_labels_get_the_same_folds() -> None:
    labels = np.repeat(np.arange(9), 4)
    assert np.array_equal(assign_folds(labels), assign_folds(labels))


def test_labels_of_one_phrase_do_not_all_fall_into_one_fold() -> None:
    assert np.bincount(assign_folds(np.arange(20)), minlength=FOLDS).tolist() == [4, 4, 4, 4, 4]


def test_the_order_within_a_label_is_shuffled() -> None:
    assigned = assign_folds(np.zeros(50, dtype=np.int64))
    assert not np.array_equal(assigned, np.arange(50) % FOLDS)


def test_of_very_many_phrases_an_even_sample_is_held_out_once() -> None:
    labels = np.repeat(np.arange(500), 40)
    assigned = assign_folds(labels)
    assert set(assigned.tolist()) == {-1, 0}
    assert (assigned == 0).sum() == MAX_HELD_OUT
    assert np.bincount(labels[assigned == 0], minlength=500).min() >= 1
