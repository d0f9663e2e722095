from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from embeddings.projection import shown_rows
from tests.embeddings.projection.catalogs import corpus


def test_all_are_shown_if_they_are_not_too_many() -> None:
    rows, left_out = shown_rows(corpus([2, 3]), 7)
    assert (rows.tolist(), left_out) == (list(range(7)), 0)


def test_large_labels_are_thinned_evenly_and_small_ones_kept() -> None:
    catalog = corpus([0, 9, 3])
    rows, left_out = shown_rows(catalog, 9)
    assert Counter(catalog.owners[rows].tolist()) == {0: 1, 1: 4, 2: 4}
    assert rows.tolist() == [0, 1, 3, 6, 8, 11, 12, 13, 14]
    assert left_out == 6


def test_with_more_labels_than_places_phrases_are_taken_evenly() -> None:
    rows, left_out = shown_rows(corpus([0] * 10), 5)
    assert (rows.tolist(), left_out) == ([0, 2, 4, 6, 8], 5)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(0, 3), st.integers(1, 30))
def test_rows_are_ascending_and_each_is_there_once(sizes: list[int], outside: int, most: int) -> None:
    catalog = corpus(sizes, outside, background=2)
    rows, left_out = shown_rows(catalog, most)
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert 1 <= len(rows) <= most
    assert len(rows) + left_out == len(catalog.phrases) - 2
