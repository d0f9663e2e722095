from dataclasses import replace

import numpy as np
import pytest

from embeddings.arrays import FloatArray, IntArray
from embeddings.index.fitted_index import NEEDS_MODEL, SIGNALS
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import ASSUMED_SHARE, ENOUGH_OUTSIDE, PhraseBook
from embeddings.training.calibration_data import (
    HIDDEN_PART,
    MAX_ALTERNATIVES,
    ONLY_EXAMPLE,
    CalibrationData,
    HeldOut,
    gather,
    halves_of_examples,
)
from embeddings.training.conditional_logit import assign_folds
from tests.toy import BOOK, ToyEncoder

SPELLING, SUBSTRING = SIGNALS.index("spelling"), SIGNALS.index("substring")


def lexical(book: PhraseBook, background: tuple[str, ...] = ()) -> CalibrationData:
    index = Corpus.build(book, background)
    return gather(index, assign_folds(index.owners), None)


def signal(found: CalibrationData, name: str) -> FloatArray:
    return found.features[:, :, SIGNALS.index(name)]


def phrased(*phrasings: str, name: str = "A") -> Label:
    return Label(name, phrasings=phrasings)


def with_outside(count: int, share: float | None = None) -> PhraseBook:
    """Four labels of five phrasings each, and so many out-of-scope phrases."""
    labels = tuple(phrased(*(f"ask {i} so {k}" for k in range(5)), name=f"label {i}") for i in range(4))
    return PhraseBook(labels, tuple(f"outside {i}" for i in range(count)), share)


def totals(found: CalibrationData) -> tuple[float, float]:
    """Return how many queries the data stand for: with a label, and with none."""
    none = found.chosen == found.features.shape[1] - 1
    return float(found.importance[~none].sum()), float(found.importance[none].sum())


def test_queries_are_phrasings_what_is_outside_and_phrasings_with_their_label_hidden() -> None:
    found = lexical(BOOK)
    assert found.features.shape == (6 + 2 + 6, 4, len(SIGNALS))
    assert found.chosen.shape == found.importance.shape == (14,)
    assert len(lexical(BOOK, ("tell me a joke", "hello")).chosen) == 14 + 2
    assert (lexical(BOOK, ("tell me a joke", "hello")).chosen[6:] == 3).all()
    chosen = lexical(BOOK).chosen
    assert (chosen[:6] < 3).all()
    assert (chosen[6:] == 3).all()


def test_a_hidden_label_is_not_among_the_alternatives() -> None:
    found = lexical(PhraseBook((phrased("red zebra", "blue zebra"), phrased("walrus", "ibis", name="B"))))
    shown, hidden = found.features[0], found.features[4]
    assert shown[found.chosen[0], SPELLING] > 0.3
    assert hidden[:-1, SPELLING].max() < 0.3
    assert not hidden[-2].any()


def test_none_is_the_last_alternative_of_every_query() -> None:
    none = signal(lexical(BOOK), "none")
    assert (none[:, -1] == 1).all()
    assert (none[:, :-1] == 0).all()


def test_the_only_example_of_a_label_stands_for_less_than_one_of_several() -> None:
    found = lexical(PhraseBook((phrased("zebra"), phrased("walrus", "ibis", name="B")), ("gnu", "yak")))
    assert found.importance[:3].tolist() == [ONLY_EXAMPLE, 1, 1]


def test_without_the_model_its_signals_are_zero() -> None:
    features = lexical(BOOK).features
    assert not features[:, :, NEEDS_MODEL].any()
    assert features[:, :, SPELLING].any()


def test_a_query_sees_the_other_folds_and_not_itself() -> None:
    book = PhraseBook((phrased("zebra", "quokka"), phrased("walrus", "ibis", name="B")), ("gnu", "yak"))
    found = lexical(book)
    for name in ("spelling", "substring", "words", "none spelling"):
        assert not signal(found, name).any()
    book = PhraseBook((phrased("red zebra", "blue zebra"), phrased("walrus", "ibis", name="B")), ("gnu", "yak"))
    found = lexical(book)
    assert found.features[0, found.chosen[0], SPELLING] > 0.3


def asked(index: Corpus) -> IntArray:
    return np.flatnonzero([phrase.kind == "phrasing" for phrase in index.phrases])


def test_the_kernel_and_cosine_are_those_held_out() -> None:
    index = Corpus.build(BOOK)
    vectors = ToyEncoder().encode(index.texts)
    kernel = np.random.default_rng(1).random((len(index.texts), 4)).astype(np.float32)
    found = gather(index, assign_folds(index.owners), HeldOut(vectors, kernel))
    rows = asked(index)
    shown = signal(found, "kernel")[: len(rows), :-1]
    np.testing.assert_array_equal(np.sort(shown), np.sort(kernel[rows, :3]))
    np.testing.assert_array_equal(signal(found, "none kernel")[: len(rows), -1], kernel[rows, 3])


def test_what_hidden_labels_score_without_having_been_learnt_is_kept_beside() -> None:
    index = Corpus.build(BOOK)
    vectors = ToyEncoder().encode(index.texts)
    kernel, hidden = np.random.default_rng(1).random((2, len(index.texts), 4)).astype(np.float32)
    known = gather(index, assign_folds(index.owners), HeldOut(vectors, kernel))
    found = gather(index, assign_folds(index.owners), HeldOut(vectors, kernel, hidden))
    np.testing.assert_array_equal(found.features, known.features)
    assert known.unlearnt is None
    assert found.unlearnt is not None
    rows = asked(index)
    of_labels = rows[index.owners[rows] < index.spans.labels]
    np.testing.assert_array_equal(found.unlearnt[: len(rows)], found.features[: len(rows)])
    scores, none = (found.unlearnt[len(rows) :, :, SIGNALS.index(name)] for name in ("kernel", "none kernel"))
    np.testing.assert_array_equal(none[:, -1], hidden[of_labels, 3])
    for place, row in enumerate(of_labels.tolist()):
        others = np.delete(hidden[row, :3], index.owners[row])
        np.testing.assert_array_equal(np.sort(scores[place, :2]), np.sort(others))


def test_a_held_out_cosine_leaves_the_own_fold_out() -> None:
    book = PhraseBook((phrased("undo", "back"), phrased("picture", "see", name="B")), ("x", "y"))
    index = Corpus.build(book)
    vectors = ToyEncoder().encode(index.texts)
    held_out = HeldOut(vectors, np.zeros((len(vectors), 3), dtype=np.float32))
    alone = gather(index, np.arange(len(vectors)), held_out)
    together = gather(index, np.zeros(len(vectors), dtype=np.int64), held_out)
    assert signal(alone, "cosine")[0, alone.chosen[0]] == pytest.approx(0.5)
    assert signal(alone, "nearest")[0, alone.chosen[0]] == pytest.approx(1)
    assert not signal(together, "cosine").any()


def test_the_name_and_description_are_seen_whatever_is_held_out() -> None:
    book = PhraseBook((Label("A", (), "undo", ("back", "rewind")), phrased("picture", name="B")))
    index = Corpus.build(book)
    vectors = ToyEncoder().encode(index.texts)
    held_out = HeldOut(vectors, np.zeros((len(vectors), 3), dtype=np.float32))
    found = gather(index, np.zeros(len(vectors), dtype=np.int64), held_out)
    assert signal(found, "whole")[0, found.chosen[0]] == pytest.approx(1)


def test_the_right_label_is_weighed_even_if_many_others_look_likelier() -> None:
    labels = tuple(phrased("unlike", "zzz", name=f"shared words {i}") for i in range(60))
    odd = phrased("shared words", "qqq", name="odd one")
    found = lexical(PhraseBook((*labels, odd), ("gnu", "yak")))
    assert found.features.shape[1] == MAX_ALTERNATIVES + 1
    assert (found.chosen[:122] < MAX_ALTERNATIVES).all()


def test_without_phrasings_nothing_is_measured() -> None:
    book = PhraseBook((Label("A", ("b",)), Label("C", description="prose")), ("gnu", "yak"))
    found = lexical(book, ("hello",))
    assert found.features.shape == (0, 3, len(SIGNALS))
    assert found.chosen.shape == found.importance.shape == (0,)


def test_a_single_out_of_scope_phrase_is_not_asked_for() -> None:
    labels = (phrased("zebra", "quokka"), phrased("walrus", "ibis", name="B"))
    assert len(lexical(PhraseBook(labels, ("gnu",))).chosen) == 4 + 4
    assert len(lexical(PhraseBook(labels, ("gnu", "yak"))).chosen) == 4 + 2 + 4


def test_a_phrase_that_is_never_held_out_is_not_measured() -> None:
    index = Corpus.build(BOOK)
    folds = assign_folds(index.owners)
    whole = gather(index, folds, None)
    part = gather(index, np.where(folds == 0, 0, -1), None)
    assert 0 < len(part.chosen) < len(whole.chosen)


def test_out_of_scope_phrases_show_what_fits_nothing_the_better_the_more_there_are() -> None:
    for phrases, shown in [(0, 0), (25, 0.25), (ENOUGH_OUTSIDE, 1), (3 * ENOUGH_OUTSIDE, 1)]:
        assert with_outside(phrases).shown_outside == shown, phrases


def test_what_fits_nothing_stands_for_the_stated_or_assumed_share() -> None:
    for share in [0.05, 0.3, 0.72]:
        for outside in [0, 10, 150]:
            served, nothing = totals(lexical(with_outside(outside, share)))
            assert served == 20, (share, outside)
            assert nothing / (served + nothing) == pytest.approx(share), (share, outside)
    assert totals(lexical(with_outside(10, 0.0))) == (20, 0)
    served, nothing = totals(lexical(with_outside(0)))
    assert nothing / (served + nothing) == pytest.approx(ASSUMED_SHARE)


def test_enough_out_of_scope_phrases_stand_for_the_assumed_share_however_many_they_are() -> None:
    for count in (ENOUGH_OUTSIDE, 3 * ENOUGH_OUTSIDE):
        found = lexical(with_outside(count))
        inside, nothing = totals(found)
        assert len(found.chosen) == 20 + count, "no label is hidden"
        assert nothing / (inside + nothing) == pytest.approx(ASSUMED_SHARE)


def test_enough_out_of_scope_phrases_stand_for_one_query_each_if_they_are_less_than_the_assumed_share() -> None:
    labels = tuple(phrased(*(f"ask {i} so {k}" for k in range(5)), name=f"label {i}") for i in range(100))
    found = lexical(PhraseBook(labels, tuple(f"outside {i}" for i in range(ENOUGH_OUTSIDE))))
    assert found.importance.tolist() == [1] * (500 + ENOUGH_OUTSIDE)


def test_phrasings_are_queries_for_labels_without_any_in_their_share_of_a_catalog() -> None:
    described = phrased("red zebra", "blue zebra"), phrased("walrus", "ibis", name="B")
    index = Corpus.build(PhraseBook((*described, Label("C"), Label("D"))))
    halves = halves_of_examples(index)
    assert halves[asked(index)].tolist() == [1, 1, 0, 0]
    plain = gather(index, assign_folds(index.owners), None)
    found = plain.with_bare(index, halves, None)
    assert found.importance.sum() == pytest.approx(plain.importance.sum())
    assert found.features[len(plain.chosen), found.chosen[len(plain.chosen)], SPELLING] < 0.3, "the other is left out"


def test_with_few_out_of_scope_phrases_hidden_labels_do_their_part() -> None:
    found = lexical(with_outside(ENOUGH_OUTSIDE // 2))
    outside, hidden = found.importance[20:-20].sum(), found.importance[-20:].sum()
    assert hidden / (outside + hidden) == pytest.approx(HIDDEN_PART / 2)


def test_without_phrases_that_fit_nothing_hidden_labels_alone_show_it() -> None:
    found = lexical(with_outside(0))
    assert len(found.chosen) == 20 + 20
    assert (found.importance[20:] > 0).all()


def test_background_phrases_and_hidden_labels_share_what_fits_nothing() -> None:
    found = lexical(with_outside(0), ("hello", "tell me a joke"))
    background, hidden = found.importance[20:22].sum(), found.importance[22:].sum()
    assert hidden / (background + hidden) == pytest.approx(HIDDEN_PART)


def test_the_same_catalog_gives_the_same_data() -> None:
    one, two = lexical(replace(BOOK)), lexical(BOOK)
    for first, second in zip(vars(one).values(), vars(two).values(), strict=True):
        np.testing.assert_array_equal(first, second)
