from collections import Counter
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.text import inverted_index
from embeddings.text.inverted_index import InvertedIndex, Postings

LIMITS = {
    "a table": {"TABLE_NUMBERS": 1 << 16},
    "frequent terms apart": {"TABLE_NUMBERS": 0, "FREQUENT": 2},
    "all terms apart": {"TABLE_NUMBERS": 0, "FREQUENT": 1 << 16},
    "no term apart": {"TABLE_NUMBERS": 0, "FREQUENT_BYTES": 0},
}


def index_of(counts: list[Counter[int]]) -> InvertedIndex:
    found = Postings.of(counts)
    weights = (found.times / 4).astype(np.float32)
    return InvertedIndex(
        len(counts),
        found.keys,
        found.starts,
        found.small_rows(len(counts)),
        weights,
        np.ones(len(found.keys), dtype=np.float32),
    )


def plain_sums(counts: list[Counter[int]], factors: dict[int, float]) -> list[float]:
    return [sum(factors.get(term, 0) * times / 4 for term, times in count.items()) for count in counts]


def sums(index: InvertedIndex, factors: dict[int, float]) -> FloatArray:
    places, known = index.find(np.array(sorted(factors), dtype=np.uint32))
    values = np.array([factors[term] for term in sorted(factors)], dtype=np.float32)
    return index.add_up(places[known], values[known])


@settings(deadline=None)
@given(
    counts=st.lists(st.dictionaries(st.integers(1, 6), st.integers(1, 3)).map(Counter), min_size=1, max_size=8),
    factors=st.dictionaries(st.integers(1, 8), st.integers(1, 5).map(float)),
)
def test_sums_are_those_of_a_plain_loop_however_the_index_is_laid_out(
    counts: list[Counter[int]], factors: dict[int, float]
) -> None:
    for limits in LIMITS.values():
        index = index_of([*counts, Counter([1])])
        with mock.patch.dict(vars(inverted_index), limits):
            found = sums(index, factors)
        assert found.dtype == np.float32, limits
        np.testing.assert_allclose(found, plain_sums([*counts, Counter([1])], factors), rtol=1e-6)


def test_the_weights_of_frequent_terms_in_all_texts_keep_to_their_memory() -> None:
    index = index_of([Counter([1, 2, 3])] * 4 + [Counter([2])])
    with mock.patch.dict(vars(inverted_index), FREQUENT_BYTES=2 * 4 * 5):
        # The two terms that most texts contain; each takes four bytes a text.
        assert sorted(index._frequent) == [0, 1]
