import numpy as np

from embeddings.fitted_index import FittedIndex, embed, fit_lexical_weights
from embeddings.phrase_book import Label, PhraseBook
from embeddings.phrase_index import PhraseIndex
from tests.toy import BOOK, ToyEncoder


def test_vectors_are_as_exact_as_a_file_stores_them() -> None:
    fitted = FittedIndex.build(BOOK, ToyEncoder())
    assert fitted.vectors.dtype == np.float32
    assert np.array_equal(fitted.vectors, fitted.blocks.restore())


def test_every_text_is_embedded_once_and_in_order() -> None:
    encoder = ToyEncoder()
    FittedIndex.build(BOOK, encoder)
    assert encoder.encoded == PhraseIndex.build(BOOK).texts


def test_progress_ends_with_every_text_embedded() -> None:
    told: list[tuple[int, int]] = []
    embed(["undo"] * 1100, ToyEncoder(), lambda done, all_: told.append((done, all_)))
    assert told[-1] == (1100, 1100)
    assert told == sorted(told)


def test_texts_of_several_batches_keep_their_order() -> None:
    texts = [("undo", "outside", "see")[i % 3] for i in range(1100)]
    assert embed(texts, ToyEncoder()).argmax(axis=1).tolist() == [i % 3 for i in range(1100)]


def test_the_model_that_made_the_vectors_is_kept() -> None:
    assert FittedIndex.build(BOOK, ToyEncoder("toy-9")).model == "toy-9"


def test_lexical_weights_are_the_same_with_and_without_vectors() -> None:
    fitted = FittedIndex.build(BOOK, ToyEncoder())
    np.testing.assert_allclose(fit_lexical_weights(fitted.index), fitted.lexical_weights)


def test_a_catalog_of_zero_vectors_is_fitted_to_finite_numbers() -> None:
    fitted = FittedIndex.build(PhraseBook((Label("a", ("b",)), Label("c"))), ToyEncoder())
    assert np.isfinite(fitted.head.coefficients).all()
    assert np.isfinite(fitted.weights).all()
