import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text.word_index import LENGTH_NORM, SATURATION, WordIndex
from embeddings.text.words import stems

TEXT = st.lists(st.sampled_from(["file", "files", "open", "the", "readFile", "日本", "?"]), max_size=6).map(" ".join)
DOCUMENTS = ["create an issue", "list the issues of a repository", "read a file", "file file file"]

Arrays = dict[str, npt.NDArray[Any]]


def plain_scores(documents: list[str], query: str) -> tuple[list[float], float]:
    """BM25 by the book, word by word, and the sum of the weights of the query's words."""
    found = [stems(document) for document in documents]
    mean = max(sum(map(len, found)) / len(found), 1)
    wanted = set(stems(query))

    def weight(word: str) -> float:
        spread = sum(word in words for words in found)
        return math.log(1 + (len(documents) - spread + 0.5) / (spread + 0.5))

    def score(words: list[str]) -> float:
        norm = SATURATION * (1 - LENGTH_NORM + LENGTH_NORM * len(words) / mean)
        counts = Counter(words)
        return sum(weight(word) * counts[word] * (SATURATION + 1) / (counts[word] + norm) for word in wanted)

    return [score(words) for words in found], sum(map(weight, wanted))


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6), TEXT)
def test_scores_are_those_of_bm25_by_the_book(documents: list[str], query: str) -> None:
    scores, weight = WordIndex.build(documents).scores(query)
    expected, total = plain_scores(documents, query)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert weight == pytest.approx(total, abs=1e-5)


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6))
def test_what_a_build_makes_passes_its_check(documents: list[str]) -> None:
    WordIndex.build(documents).check(len(documents))


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6), TEXT)
def test_an_index_comes_back_from_its_arrays(documents: list[str], query: str) -> None:
    index = WordIndex.build(documents)
    again = WordIndex.from_arrays(index.arrays())
    assert again.size == index.size
    assert again.scores(query)[0].tolist() == index.scores(query)[0].tolist()
    assert again.scores(query)[1] == index.scores(query)[1]


def test_the_document_with_the_rarer_word_comes_first() -> None:
    assert WordIndex.build(DOCUMENTS).scores("create a file")[0].argmax() == 0


def test_a_word_said_twice_counts_once() -> None:
    index = WordIndex.build(DOCUMENTS)
    assert index.scores("file file")[0].tolist() == index.scores("file")[0].tolist()


def test_a_phrase_without_words_scores_nothing_of_nothing() -> None:
    for query in ["", "the", "?!", "🙂", "\ud800"]:
        scores, weight = WordIndex.build(DOCUMENTS).scores(query)
        assert (scores.tolist(), weight) == ([0, 0, 0, 0], 0), query


def test_an_unknown_word_weighs_more_than_any_known_one() -> None:
    index = WordIndex.build(DOCUMENTS)
    scores, weight = index.scores("zebra")
    assert not scores.any()
    assert weight > index.rarity.max()


def test_an_index_without_words_scores_nothing() -> None:
    scores, weight = WordIndex.build(["", "?"]).scores("file")
    assert scores.tolist() == [0, 0]
    assert weight > 0


def test_stored_arrays_hold_no_objects() -> None:
    assert all(array.dtype.kind in "iuf" for array in WordIndex.build(DOCUMENTS).arrays().values())


DAMAGE: list[tuple[Callable[[Arrays], Arrays], str]] = [
    (lambda found: {"size": found["size"] + 1}, "one document of words for each label"),
    (lambda found: {"starts": found["starts"][:-1]}, "one start and one rarity"),
    (lambda found: {"rarity": found["rarity"][:-1]}, "one start and one rarity"),
    (lambda found: {"keys": found["keys"][::-1]}, "ascending order"),
    (lambda found: {"starts": found["starts"] - 1}, "do not descend"),
    (lambda found: {"starts": np.append(0, found["starts"][:0:-1])}, "do not descend"),
    (lambda found: {"rows": found["rows"][1:]}, "the last of the words' starts"),
    (lambda found: {"weights": found["weights"][1:]}, "the last of the words' starts"),
    (lambda found: {"rows": found["rows"] + np.uint8(4)}, "indexes of labels"),
    *(
        (lambda found, value=value: {"rarity": found["rarity"] * 0 + value}, "inverse document frequency")
        for value in (np.float32("nan"), np.float32("inf"), np.float32(-1), np.float32(9))
    ),
    *(
        (lambda found, value=value: {"weights": found["weights"] * 0 + value}, "parts of a BM25 score")
        for value in (np.float32("nan"), np.float32("inf"), np.float32(-1), np.float32(9))
    ),
]


def test_arrays_that_no_build_makes_are_refused() -> None:
    for change, why in DAMAGE:
        arrays = WordIndex.build(DOCUMENTS).arrays()
        damaged = WordIndex.from_arrays(arrays | change(arrays))
        with pytest.raises(ValueError, match=why):
            damaged.check(len(DOCUMENTS))
