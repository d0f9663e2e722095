import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import EMBEDDING_SIGNALS, NEEDS_MODEL, SIGNALS
from embeddings.labels.corpus import Corpus, Spans
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.signals import MAX_LABELS, LexicalSignals, ModelSignals, assemble

VALUES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.25, 1.0])
GROUPS = st.tuples(
    st.lists(st.lists(VALUES, min_size=1, max_size=4), min_size=1, max_size=5), st.lists(VALUES, max_size=4)
).map(lambda groups: [*groups[0], groups[1]])


def laid_out(groups: list[list[float]]) -> tuple[Spans, FloatArray]:
    owners = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return Spans.of(owners, len(groups) - 1), np.array([value for group in groups for value in group], np.float32)


def array(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float32)


@settings(deadline=None)
@given(GROUPS)
def test_the_best_of_each_label_is_that_of_a_plain_loop(groups: list[list[float]]) -> None:
    spans, values = laid_out(groups)
    assert spans.best(values).tolist() == [max(group, default=0) for group in groups]


@settings(deadline=None)
@given(GROUPS)
def test_the_mean_of_the_two_best_is_that_of_a_plain_loop(groups: list[list[float]]) -> None:
    spans, values = laid_out(groups)
    tops = [sorted(group)[-2:] for group in groups]
    _, found = spans.best_and_mean(values)
    assert found.tolist() == [sum(top) / len(top) if top else 0 for top in tops]
    assert found.dtype == np.float32


@settings(deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=5), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_the_best_of_many_phrases_and_the_mean_are_those_of_a_plain_loop(
    sizes: list[int], none: int, seed: int
) -> None:
    # Few different values, so that the largest is often there twice.
    drawn = np.random.default_rng(seed).integers(0, 20, sum(sizes) + none).tolist()
    ends = np.cumsum([*sizes, none])
    spans, values = laid_out([drawn[end - size : end] for size, end in zip([*sizes, none], ends, strict=True)])
    tops = [sorted(drawn[end - size : end])[-2:] for size, end in zip([*sizes, none], ends, strict=True)]
    best, mean = spans.best_and_mean(values)
    assert best.tolist() == [max(top, default=0) for top in tops]
    assert mean.tolist() == [sum(top) / len(top) if top else 0 for top in tops]


def test_ranking_leaves_the_values_as_they_were() -> None:
    spans, values = laid_out([[0.5, 0.25], []])
    spans.best_and_mean(values)
    assert values.tolist() == [0.5, 0.25]


def test_spans_tell_sizes_labels_and_whether_anything_is_out_of_scope() -> None:
    with_none, without = laid_out([[1, 1], [1], [1, 1, 1]])[0], laid_out([[1, 1], [1], []])[0]
    assert (with_none.sizes.tolist(), with_none.labels, with_none.has_none) == ([2, 1, 3], 2, True)
    assert (without.sizes.tolist(), without.labels, without.has_none) == ([2, 1, 0], 2, False)


MODEL = ModelSignals(
    kernel=array(1, 2, 3), cosine=array(4, 5, 6), nearest=array(7, 8), whole=array(9, 10), part=array(11, 12)
)
LEXICAL = LexicalSignals(
    words=array(13, 14), coverage=array(15, 16), spelling=array(17, 18, 19), substring=array(20, 21)
)


def columns(model: ModelSignals | None) -> dict[str, list[float]]:
    table = assemble(model, LEXICAL)
    return {signal: table[:, i].tolist() for i, signal in enumerate(SIGNALS)}


def test_each_signal_has_its_column() -> None:
    found = columns(MODEL)
    assert found.pop("catalog size") == pytest.approx([0, 0, np.log(2)])
    assert found == {
        "kernel": [1, 2, 0],
        "cosine": [4, 5, 0],
        "nearest": [7, 8, 0],
        "whole": [9, 10, 0],
        "part": [11, 12, 0],
        "words": [13, 14, 0],
        "coverage": [15, 16, 0],
        "spelling": [17, 18, 0],
        "substring": [20, 21, 0],
        "none": [0, 0, 1],
        "none kernel": [0, 0, 3],
        "none cosine": [0, 0, 6],
        "none spelling": [0, 0, 19],
    }


def test_without_the_model_its_signals_are_zero_and_the_others_as_they_were() -> None:
    full, without = columns(MODEL), columns(None)
    assert {signal for signal in SIGNALS if full[signal] != without[signal]} == set(EMBEDDING_SIGNALS)
    assert not any(any(without[signal]) for signal in EMBEDDING_SIGNALS)


def test_labels_count_for_none_up_to_a_number() -> None:
    for labels in [1, MAX_LABELS - 1, MAX_LABELS, MAX_LABELS + 1, 2 * MAX_LABELS]:
        zeros = np.zeros(labels, dtype=np.float32)
        table = assemble(None, LexicalSignals(zeros, zeros, np.zeros(labels + 1, dtype=np.float32), zeros))
        assert table[-1, SIGNALS.index("catalog size")] == pytest.approx(np.log(min(labels, MAX_LABELS))), labels


def test_signals_are_float32() -> None:
    assert assemble(MODEL, LEXICAL).dtype == np.float32


def test_the_whole_and_the_nearest_are_cosines_of_their_phrases() -> None:
    corpus = Corpus.build(PhraseBook((Label("A", ("b",), "c"), Label("D", phrasings=("e",))), ("f",)))
    assert corpus.texts == ["A", "b", "A: c", "c", "D", "e", "f"]
    found = ModelSignals.of(corpus, array(1, 9, 3, 4, 5, 6, 7), array(0, 0, 0))
    assert found.nearest.tolist() == [9, 6]
    assert found.whole.tolist() == found.part.tolist() == [3, 5]
    assert found.cosine.tolist() == [6.5, 5.5, 7]


def test_a_phrase_of_all_the_words_of_a_label_covers_more_than_one_with_other_words() -> None:
    corpus = Corpus.build(PhraseBook((Label("create issue"), Label("list files"))))
    whole, part = (LexicalSignals.of(corpus, text) for text in ("create an issue", "create an issue with zebras"))
    assert whole.words.tolist() == part.words.tolist()
    assert whole.coverage[0] > part.coverage[0] > 0
    assert whole.coverage[1] == part.coverage[1] == 0


def test_a_common_word_is_covered_as_much_as_a_rare_one() -> None:
    corpus = Corpus.build(PhraseBook((Label("list files"), Label("list issues"), Label("list keys"))))
    common, rare = (LexicalSignals.of(corpus, text) for text in ("list", "files"))
    assert common.coverage[0] > 0
    assert common.coverage[0] == pytest.approx(rare.coverage[0])


def test_a_phrase_without_words_covers_nothing() -> None:
    for reading in ["the", "?", "🙂"]:
        found = LexicalSignals.of(Corpus.build(PhraseBook((Label("create issue"), Label("the")))), reading)
        assert found.coverage.tolist() == found.words.tolist() == [0, 0], reading


def test_the_mask_marks_the_signals_that_need_the_model() -> None:
    marked = {signal for signal, needs in zip(SIGNALS, NEEDS_MODEL, strict=True) if needs}
    assert marked == set(EMBEDDING_SIGNALS)
