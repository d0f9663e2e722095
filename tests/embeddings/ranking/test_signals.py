import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.index.signal_names import EMBEDDING_SIGNALS, NEEDS_MODEL, SIGNALS
from embeddings.labels.spans import Spans
from embeddings.ranking.signals import assemble

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
    found = spans.two_best_mean(values)
    assert found.tolist() == [sum(top) / len(top) if top else 0 for top in tops]
    assert found.dtype == np.float32


def test_ranking_leaves_the_values_as_they_were() -> None:
    spans, values = laid_out([[0.5, 0.25], []])
    spans.two_best_mean(values)
    assert values.tolist() == [0.5, 0.25]


def test_spans_tell_sizes_labels_and_whether_anything_is_out_of_scope() -> None:
    with_none, without = laid_out([[1, 1], [1], [1, 1, 1]])[0], laid_out([[1, 1], [1], []])[0]
    assert (with_none.sizes.tolist(), with_none.labels, with_none.has_none) == ([2, 1, 3], 2, True)
    assert (without.sizes.tolist(), without.labels, without.has_none) == ([2, 1, 0], 2, False)


def test_each_signal_has_its_column() -> None:
    table = assemble(array(1, 2, 3), array(4, 5, 6), array(7, 8, 9), array(10, 11))
    columns = {signal: table[:, i].tolist() for i, signal in enumerate(SIGNALS)}
    assert columns == {
        "kernel": [1, 2, 0],
        "cosine": [4, 5, 0],
        "spelling": [7, 8, 0],
        "substring": [10, 11, 0],
        "none": [0, 0, 1],
        "none kernel": [0, 0, 3],
        "none cosine": [0, 0, 6],
        "none spelling": [0, 0, 9],
    }


def test_signals_are_float32() -> None:
    assert assemble(array(1, 2), array(1, 2), array(1, 2), array(1)).dtype == np.float32


def test_the_mask_marks_the_signals_that_need_the_model() -> None:
    marked = {signal for signal, needs in zip(SIGNALS, NEEDS_MODEL, strict=True) if needs}
    assert marked == set(EMBEDDING_SIGNALS)
