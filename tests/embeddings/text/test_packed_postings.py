from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text import char_ngrams, inverted_index, packed_postings
from embeddings.text.char_ngrams import NgramIndex

WORDS = st.sampled_from(["the", "it", "how", "picture", "tools", "bc", "the-the"])
TEXT = st.lists(WORDS, max_size=8).map(" ".join)

NEAR = 1e-3
"""Rounding of a text of three letters; that of longer ones is less."""


def similarities(texts: list[str], query: str, fewest: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    index = NgramIndex.build(texts)
    with mock.patch.object(char_ngrams, "MIN_TEXTS", fewest):
        first = index.similarities(query)
        # The second time, common words are kept.
        np.testing.assert_allclose(index.similarities(query), first, atol=NEAR)
    return first


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=8), TEXT)
def test_packed_similarities_are_those_of_the_index(texts: list[str], query: str) -> None:
    packed, plain = similarities(texts, query, 0), similarities(texts, query, 1000)
    assert packed.dtype == np.float32
    np.testing.assert_allclose(packed, plain, atol=NEAR)


def test_many_common_words_do_not_overflow() -> None:
    for times, limit in [(100, 65_535), (3, 20_000)]:
        texts, query = ["the tools", "picture"], "the " * times
        with mock.patch.object(packed_postings, "_MAX_COARSE", limit):
            assert similarities(texts, query, 0) == pytest.approx(similarities(texts, query, 1000), abs=NEAR), times


def test_few_words_are_kept() -> None:
    index = NgramIndex.build(["the tools", "how is it"])
    with mock.patch.object(char_ngrams, "MIN_TEXTS", 0), mock.patch.object(packed_postings, "MAX_COMMON", 2):
        index.similarities("the tools")
        index.similarities("how is it in the end")
        assert index._packed is not None
        assert sorted(index._packed._common) == ["how", "the"]


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=8), TEXT)
def test_words_that_were_forgotten_are_read_again(texts: list[str], query: str) -> None:
    with mock.patch.object(packed_postings, "MAX_WORDS", 1):
        packed = similarities(texts, query, 0)
    np.testing.assert_allclose(packed, similarities(texts, query, 1000), atol=NEAR)


def test_frequent_terms_count_alike_wherever_they_are_kept() -> None:
    for kept in [0, 1 << 20]:
        texts, query = ["picture it", "pictures", "the picture", "tools"], "picture tools"
        with mock.patch.object(inverted_index, "FREQUENT_BYTES", kept):
            assert similarities(texts, query, 0) == pytest.approx(similarities(texts, query, 1000), abs=NEAR), kept
