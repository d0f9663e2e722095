import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text.char_ngrams import GRAM_LENGTH, LONGEST_COMPARED, NgramIndex, grams
from embeddings.text.normalization import words

TEXT = st.text(st.sampled_from("abcé -'"), max_size=12)
TEXTS = ["go back to an earlier state", "connect outside tools", "see a picture", "tools"]


def plain_grams(text: str) -> Counter[str]:
    marked = [f"^{word}$" for word in words(text)]
    return Counter(word[start : start + GRAM_LENGTH] for word in marked for start in range(len(word) - GRAM_LENGTH + 1))


def plain_cosines(texts: list[str], query: str) -> list[float]:
    counts = [plain_grams(text) for text in texts]

    def weighted(found: Counter[str]) -> dict[str, float]:
        spread = {gram: sum(gram in other for other in counts) for gram in found}
        return {gram: n * (math.log((1 + len(texts)) / (1 + spread[gram])) + 1) for gram, n in found.items()}

    def unit(vector: dict[str, float]) -> dict[str, float]:
        length = math.sqrt(sum(value**2 for value in vector.values()))
        return {gram: value / length for gram, value in vector.items()}

    left = unit(weighted(plain_grams(query)))
    rights = [unit(weighted(found)) for found in counts]
    return [sum(value * right.get(gram, 0) for gram, value in left.items()) for right in rights]


@settings(deadline=None)
@given(st.lists(TEXT, max_size=6), TEXT)
def test_similarities_are_those_of_a_plain_dictionary_cosine(texts: list[str], query: str) -> None:
    found = NgramIndex.build(texts).similarities(query)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, plain_cosines(texts, query), atol=1e-5)


def test_a_text_is_wholly_like_itself() -> None:
    assert NgramIndex.build(TEXTS).similarities(TEXTS[1])[1] == pytest.approx(1)


def test_a_misspelt_word_is_most_like_the_text_with_the_right_one() -> None:
    assert NgramIndex.build(TEXTS).similarities("pictrue").argmax() == 2


def test_case_and_punctuation_do_not_matter() -> None:
    index = NgramIndex.build(TEXTS)
    assert np.array_equal(index.similarities("Connect -- TOOLS!"), index.similarities("connect tools"))


def test_without_letters_in_common_nothing_is_alike() -> None:
    for query in ["", "?!", "🙂", "\x00\x01", "\ud800", "zzzz"]:
        assert NgramIndex.build(TEXTS).similarities(query).tolist() == [0, 0, 0, 0], query
    assert NgramIndex.build(["", "?"]).similarities("tools").tolist() == [0, 0]


def test_unknown_words_make_a_phrase_less_like_any_text() -> None:
    index = NgramIndex.build(TEXTS)
    assert index.similarities("tools zzzz")[3] < index.similarities("tools")[3]


def test_only_the_beginning_of_a_long_phrase_counts() -> None:
    start = ("tools " * LONGEST_COMPARED)[:LONGEST_COMPARED]
    assert grams(start + " picture" * 10_000) == grams(start)


def test_an_index_comes_back_from_its_arrays() -> None:
    index = NgramIndex.build(TEXTS)
    again = NgramIndex.from_arrays(index.arrays())
    assert again.size == 4
    np.testing.assert_allclose(again.similarities("outside tool"), index.similarities("outside tool"), atol=1e-3)


def test_stored_arrays_hold_no_objects() -> None:
    assert all(array.dtype.kind in "iuf" for array in NgramIndex.build(TEXTS).arrays().values())
