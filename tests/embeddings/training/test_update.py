from collections.abc import Sequence
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
from embeddings.ranking.signals import whiten
from embeddings.training import update
from embeddings.training.build import build_index, embed, fit_index
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


@given(BOOKS, BOOKS, st.sampled_from([0, 100]))
def test_after_any_change_each_phrase_has_the_vector_of_its_text(
    old: PhraseBook, new: PhraseBook, most_refitted: int
) -> None:
    encoder = ToyEncoder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(update, "MAX_REFITTED", most_refitted)
        updated = update_index(build_index(old, encoder), new, encoder)
    assert updated.corpus.book == new
    np.testing.assert_allclose(updated.vectors, vectors_of(updated, encoder), rtol=0, atol=1 / 127)
    updated.head.check(len(updated.corpus.phrases), len(new.labels))
    assert np.isfinite(updated.head.coefficients).all()


FEWER = replace(BOOK, labels=BOOK.labels[:2])
WEIGHTS = ("weights", "lexical_weights")


def same(first: FittedIndex, second: FittedIndex, names: Sequence[str]) -> list[bool]:
    return [np.array_equal(getattr(first, name), getattr(second, name)) for name in names]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy catalog counts as a large one."""
    monkeypatch.setattr(update, "MAX_REFITTED", 0)


def test_a_small_catalog_is_fitted_afresh_to_the_kept_whitening(encoder: ToyEncoder) -> None:
    fitted = build_index(FEWER, encoder)
    updated = update_index(fitted, BOOK, encoder)
    afresh = fit_index(updated.corpus, fitted.whitening, updated.blocks, fitted.model)
    assert same(updated, afresh, ("whitening", *WEIGHTS)) == [True] * 3
    np.testing.assert_array_equal(updated.head.coefficients, afresh.head.coefficients)
    assert same(updated, fitted, WEIGHTS) == [False] * 2


@pytest.mark.usefixtures("large")
def test_a_large_catalog_keeps_whitening_and_weights(encoder: ToyEncoder) -> None:
    fitted = build_index(FEWER, encoder)
    assert same(update_index(fitted, BOOK, encoder), fitted, ("whitening", *WEIGHTS)) == [True] * 3


@pytest.mark.usefixtures("large")
def test_the_first_or_last_out_of_scope_phrases_change_the_weights_of_a_large_catalog(encoder: ToyEncoder) -> None:
    cases: list[tuple[PhraseBook, PhraseBook]] = [
        (BOOK, replace(BOOK, out_of_scope=())),
        (replace(BOOK, out_of_scope=()), BOOK),
    ]
    for before, after in cases:
        fitted = build_index(before, encoder)
        assert same(update_index(fitted, after, encoder), fitted, WEIGHTS) == [False] * 2, before


@pytest.mark.usefixtures("large")
def test_a_large_catalog_of_which_much_changes_is_fitted_afresh(
    encoder: ToyEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, kept in [(4, True), (3, False)]:
        monkeypatch.setattr(update, "MAX_CHANGED", most)
        checkpoints = replace(BOOK.labels[0], phrasings=("rewind it", "go back"))
        fitted = build_index(BOOK, encoder)
        updated = update_index(fitted, replace(BOOK, labels=(checkpoints, *BOOK.labels[1:])), encoder)
        assert same(updated, fitted, WEIGHTS) == [kept] * 2, most


def test_held_out_phrases_are_ranked_as_by_a_build_of_all(encoder: ToyEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    for most_refitted in [0, 100]:
        for added in [1, 2]:
            old = replace(BOOK, labels=BOOK.labels[:-added])
            monkeypatch.setattr(update, "MAX_REFITTED", most_refitted)
            updated = Matcher.build(old, encoder).update(BOOK)
            built = Matcher.build(BOOK, encoder)
            for phrase in ("rewind back", "plug outside", "see picture", "restore"):
                ours, theirs = updated.match(phrase), built.match(phrase)
                assert ours.matches[0].name == theirs.matches[0].name, (most_refitted, added)
                assert ours.matches[0].match_confidence == pytest.approx(theirs.matches[0].match_confidence, abs=0.1), (
                    most_refitted,
                    added,
                )


def test_the_same_update_gives_the_same_numbers(encoder: ToyEncoder) -> None:
    first, second = (
        update_index(build_index(BOOK, encoder), replace(BOOK, labels=BOOK.labels[1:]), encoder) for _ in range(2)
    )
    np.testing.assert_array_equal(first.head.coefficients, second.head.coefficients)
    np.testing.assert_array_equal(first.blocks.values, second.blocks.values)


def test_labels_of_one_name_are_told_apart_by_their_ids() -> None:
    labels = (Label("run", id="a/run"), Label("run", id="b/run"), Label("Stop"))
    old, new = PhraseBook(labels), PhraseBook((Label("run", id="c/run"), *labels[::-1]))
    assert update._columns(old, new).tolist() == [-1, 2, 1, 0, 3]
