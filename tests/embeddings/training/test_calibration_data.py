import numpy as np
import pytest

from embeddings.arrays import FloatArray
from embeddings.index.signal_names import NEEDS_MODEL, SIGNALS
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.training import calibration_data
from embeddings.training.calibration_data import CalibrationData, HeldOut, gather
from embeddings.training.folds import assign_folds
from tests.toy import BOOK, ToyEncoder

SPELLING, SUBSTRING = SIGNALS.index("spelling"), SIGNALS.index("substring")


def lexical(book: PhraseBook) -> CalibrationData:
    index = Corpus.build(book)
    return gather(index, assign_folds(index.owners), None)


def signal(found: CalibrationData, name: str) -> FloatArray:
    return found.features[:, :, SIGNALS.index(name)]


def test_aliases_phrasings_and_out_of_scope_phrases_are_the_queries() -> None:
    found = lexical(BOOK)
    assert found.features.shape == (5 + 6 + 2, 4, len(SIGNALS))
    assert found.chosen.shape == (13,)


def test_the_right_answer_is_a_label_in_scope_and_none_out_of_scope() -> None:
    chosen = lexical(BOOK).chosen
    assert (chosen[:-2] < 3).all()
    assert chosen[-2:].tolist() == [3, 3]


def test_none_is_the_last_alternative_of_every_query() -> None:
    none = signal(lexical(BOOK), "none")
    assert (none[:, -1] == 1).all()
    assert (none[:, :-1] == 0).all()


def test_without_the_model_its_signals_are_zero() -> None:
    features = lexical(BOOK).features
    assert not features[:, :, NEEDS_MODEL].any()
    assert features[:, :, SPELLING].any()


def test_a_query_does_not_see_itself() -> None:
    book = PhraseBook((Label("A", ("zebra", "quokka")), Label("B", ("walrus", "ibis"))), ("gnu", "yak"))
    found = lexical(book)
    for name in ("spelling", "substring", "none spelling"):
        assert not signal(found, name).any()


def test_a_query_sees_the_other_folds() -> None:
    book = PhraseBook((Label("A", ("red zebra", "blue zebra")), Label("B", ("walrus", "ibis"))), ("gnu", "yak"))
    found = lexical(book)
    assert found.features[0, found.chosen[0], SPELLING] > 0.3


def test_the_kernel_and_cosine_are_those_held_out() -> None:
    index = Corpus.build(BOOK)
    vectors = ToyEncoder().encode(index.texts)
    kernel = np.random.default_rng(1).random((len(index.texts), 4)).astype(np.float32)
    found = gather(index, assign_folds(index.owners), HeldOut(vectors, kernel))
    asked = [phrase.kind in ("alias", "phrasing") for phrase in index.phrases]
    np.testing.assert_array_equal(np.sort(signal(found, "kernel")[:, :-1]), np.sort(kernel[asked, :3]))
    np.testing.assert_array_equal(signal(found, "none kernel")[:, -1], kernel[asked, 3])


def test_a_held_out_cosine_leaves_the_own_fold_out() -> None:
    book = PhraseBook((Label("A", ("undo",)), Label("B", ("picture", "see"))), ("x", "y"))
    index = Corpus.build(book)
    vectors = ToyEncoder().encode(index.texts)
    held_out = HeldOut(vectors, np.zeros((len(vectors), 3), dtype=np.float32))
    alone = gather(index, np.arange(len(vectors)), held_out)
    together = gather(index, np.zeros(len(vectors), dtype=np.int64), held_out)
    assert signal(alone, "cosine")[1, alone.chosen[1]] == pytest.approx(0.5)
    assert not signal(together, "cosine").any()


def test_without_out_of_scope_phrases_one_query_in_five_has_its_label_hidden() -> None:
    labels = tuple(Label(f"label {i}", (f"alias {i}",)) for i in range(20))
    found = lexical(PhraseBook(labels))
    assert np.flatnonzero(found.chosen == 20).tolist() == [0, 5, 10, 15]


def test_the_right_label_is_weighed_even_if_many_others_look_likelier() -> None:
    labels = tuple(Label(f"shared words {i}", ("unlike", "zzz")) for i in range(60))
    odd = Label("shared words 60", ("shared words", "qqq"))
    found = lexical(PhraseBook((*labels, odd), ("gnu", "yak")))
    assert found.features.shape[1] == calibration_data.MOST_ALTERNATIVES + 1
    assert (found.chosen[:-2] < calibration_data.MOST_ALTERNATIVES).all()


def test_a_label_known_by_its_name_alone_is_not_asked_for() -> None:
    assert lexical(PhraseBook((Label("A"), Label("B", description="prose")))).features.shape == (0, 3, len(SIGNALS))


def test_a_single_out_of_scope_phrase_is_not_asked_for() -> None:
    labels = (Label("A", ("zebra",)), Label("B", ("walrus",)))
    assert (lexical(PhraseBook(labels, ("gnu",))).chosen < 2).all()
    assert (lexical(PhraseBook(labels, ("gnu", "yak"))).chosen == 2).sum() == 2


def test_a_phrase_that_is_never_held_out_is_not_measured() -> None:
    index = Corpus.build(BOOK)
    folds = assign_folds(index.owners)
    whole = gather(index, folds, None)
    part = gather(index, np.where(folds == 0, 0, -1), None)
    assert 0 < len(part.chosen) < len(whole.chosen)
