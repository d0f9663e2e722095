from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import FittedIndex
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.whitening import whiten
from embeddings.training.build import build_index, embed
from embeddings.training.update import update_index
from tests.toy import AXES, BOOK, ToyEncoder

WORDS = [word for axis in AXES for word in axis]
PHRASINGS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), max_size=4)
BOOKS = st.builds(
    lambda kinds, outside: PhraseBook(
        tuple(Label(name, phrasings=tuple(texts)) for name, texts in kinds.items()), tuple(outside)
    ),
    st.dictionaries(st.sampled_from(["Rewind", "Plug", "Image", "Other"]), PHRASINGS, min_size=1),
    PHRASINGS,
)


def vectors_of(fitted: FittedIndex, encoder: ToyEncoder) -> FloatArray:
    return whiten(embed(fitted.corpus.texts, encoder), fitted.whitening)


@given(BOOKS, BOOKS)
def test_after_any_change_each_phrase_has_the_vector_of_its_text(old: PhraseBook, new: PhraseBook) -> None:
    encoder = ToyEncoder()
    updated = update_index(build_index(old, encoder), new, encoder)
    assert updated.corpus.book == new
    np.testing.assert_allclose(updated.vectors, vectors_of(updated, encoder), rtol=0, atol=1 / 127)
    updated.head.check(len(updated.corpus.phrases), len(new.labels))
    assert np.isfinite(updated.head.coefficients).all()


def test_whitening_and_weights_are_kept(encoder: ToyEncoder) -> None:
    fitted = build_index(BOOK, encoder)
    updated = update_index(fitted, replace(BOOK, out_of_scope=()), encoder)
    for name in ("whitening", "weights", "lexical_weights"):
        np.testing.assert_array_equal(getattr(updated, name), getattr(fitted, name))


@pytest.mark.parametrize("added", [1, 2])
def test_held_out_phrases_are_ranked_as_by_a_build_of_all(added: int, encoder: ToyEncoder) -> None:
    old = replace(BOOK, labels=BOOK.labels[:-added])
    updated = Matcher.build(old, encoder).update(BOOK)
    built = Matcher.build(BOOK, encoder)
    for phrase in ("rewind back", "plug outside", "see picture", "restore"):
        ours, theirs = updated.match(phrase), built.match(phrase)
        assert ours.matches[0].name == theirs.matches[0].name
        assert ours.matches[0].match_confidence == pytest.approx(theirs.matches[0].match_confidence, abs=0.1)


def test_the_same_update_gives_the_same_numbers(encoder: ToyEncoder) -> None:
    first, second = (
        update_index(build_index(BOOK, encoder), replace(BOOK, labels=BOOK.labels[1:]), encoder) for _ in range(2)
    )
    np.testing.assert_array_equal(first.head.coefficients, second.head.coefficients)
    np.testing.assert_array_equal(first.blocks.values, second.blocks.values)
