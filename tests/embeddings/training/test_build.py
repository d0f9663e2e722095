from dataclasses import replace
from pathlib import Path

import numpy as np

from embeddings.index import vector_file
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import ENOUGH_OUTSIDE, PhraseBook
from embeddings.ranking.signals import whiten
from embeddings.training import build
from embeddings.training.build import build_index, embed, fit_lexical_weights
from tests.conftest import SHORT_BACKGROUND
from tests.toy import BOOK, ToyEncoder


def test_vectors_are_those_of_the_texts_up_to_a_rounding_step() -> None:
    encoder = ToyEncoder()
    fitted = build_index(BOOK, encoder)
    whitened = whiten(embed(fitted.corpus.texts, encoder), fitted.whitening)
    # A rounding step is 1/127 of the largest magnitude in a block, which is at most 1.
    np.testing.assert_allclose(fitted.vectors, whitened, rtol=0, atol=1 / 127)
    assert np.abs(whitened).max() > 0.5


def test_a_vector_file_gives_back_the_vectors_that_were_built(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    fitted = build_index(BOOK, encoder)
    vector_file.write(tmp_path / "vectors.npz", fitted)
    stored = vector_file.read(tmp_path / "vectors.npz", encoder).vectors
    assert stored.dtype == np.float32
    assert np.array_equal(stored, fitted.vectors)


def test_every_text_is_embedded_once_and_in_order() -> None:
    encoder = ToyEncoder()
    build_index(BOOK, encoder)
    own = Corpus.build(BOOK).texts
    assert encoder.encoded[: len(own)] == own
    assert len(set(encoder.encoded)) == len(encoder.encoded) == len(own) + build.most_encoded(BOOK)


def test_progress_covers_every_text_that_is_embedded() -> None:
    encoder, told = ToyEncoder(), list[tuple[int, int]]()
    build_index(BOOK, encoder, lambda done, all_: told.append((done, all_)))
    assert told[-1] == (len(encoder.encoded), len(encoder.encoded))
    assert told == sorted(set(told))
    assert {total for _, total in told} == {len(encoder.encoded)}


def test_progress_ends_even_if_less_of_the_background_is_embedded() -> None:
    book = PhraseBook((Label("image", (), "tell jokes"), Label("B", phrasings=("undo",))))
    told: list[tuple[int, int]] = []
    build_index(book, ToyEncoder(), lambda done, all_: told.append((done, all_)))
    assert told[-1][0] == told[-1][1]


def test_background_phrases_stand_beside_the_catalogs_own() -> None:
    corpus = build_index(BOOK, ToyEncoder()).corpus
    assert corpus.background
    assert set(corpus.background) <= {*SHORT_BACKGROUND["Tell jokes"], *SHORT_BACKGROUND["Chat about food"]}
    assert corpus.texts[: -len(corpus.background)] == Corpus.build(BOOK).texts


def test_enough_own_out_of_scope_phrases_leave_no_background() -> None:
    book = replace(BOOK, out_of_scope=tuple(f"outside {i}" for i in range(ENOUGH_OUTSIDE)))
    assert build_index(book, ToyEncoder()).corpus.background == []


def test_progress_ends_with_every_text_embedded() -> None:
    told: list[tuple[int, int]] = []
    embed(["undo"] * 1100, ToyEncoder(), lambda done, all_: told.append((done, all_)))
    assert told[-1] == (1100, 1100)
    assert told == sorted(told)


def test_texts_of_several_batches_keep_their_order() -> None:
    texts = [("undo", "outside", "see")[i % 3] for i in range(1100)]
    assert embed(texts, ToyEncoder()).argmax(axis=1).tolist() == [i % 3 for i in range(1100)]


def test_the_model_that_made_the_vectors_is_kept() -> None:
    assert build_index(BOOK, ToyEncoder("toy-9")).model == "toy-9"


def test_lexical_weights_are_the_same_with_and_without_vectors() -> None:
    fitted = build_index(BOOK, ToyEncoder())
    np.testing.assert_allclose(fit_lexical_weights(fitted.corpus), fitted.lexical_weights)


def test_a_catalog_of_zero_vectors_is_fitted_to_finite_numbers() -> None:
    fitted = build_index(PhraseBook((Label("a", ("b",)), Label("c"))), ToyEncoder())
    assert np.isfinite(fitted.head.coefficients).all()
    assert np.isfinite(fitted.weights).all()
