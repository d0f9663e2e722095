import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray, IntArray
from embeddings.index.fitted_index import WIDTH, kernel
from embeddings.training import kernel_ridge
from embeddings.training.conditional_logit import assign_folds
from embeddings.training.kernel_ridge import PENALTY, fitted_phrases

Table = npt.NDArray[np.float64]


def unit_vectors(count: int, seed: int) -> FloatArray:
    vectors = np.random.default_rng(seed).normal(size=(count, 4))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def refit(vectors: FloatArray, labels: IntArray, classes: int, kept: npt.NDArray[np.bool_]) -> Table:
    """Kernel ridge regression on the kept phrases alone, with all phrases' weights; scores of all phrases."""
    gram = np.exp((vectors.astype(np.float64) @ vectors.T.astype(np.float64) - 1) / WIDTH)
    counts = np.bincount(labels, minlength=classes)
    weights = len(labels) / (np.count_nonzero(counts) * counts[labels])
    system = gram[np.ix_(kept, kept)] + np.diag(PENALTY / weights[kept])
    scores: Table = gram[:, kept] @ np.linalg.solve(system, np.eye(classes)[labels[kept]])
    return scores


def labels_of(sizes: list[int]) -> IntArray:
    return np.repeat(np.arange(len(sizes)), sizes)


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=4)
SEEDS = st.integers(0, 10_000)


@settings(deadline=None)
@given(SIZES, SEEDS)
def test_held_out_scores_are_those_of_a_refit_without_the_fold(sizes: list[int], seed: int) -> None:
    labels, classes = labels_of(sizes), len(sizes) + 1
    vectors, folds = unit_vectors(len(labels), seed), assign_folds(labels)
    _, held_out = kernel_ridge.fit(vectors, labels, classes, folds)
    for fold in range(5):
        expected = refit(vectors, labels, classes, folds != fold)
        np.testing.assert_allclose(held_out[folds == fold], expected[folds == fold], atol=1e-4)


@settings(deadline=None)
@given(SIZES, SEEDS)
def test_scores_of_a_hidden_label_are_those_of_a_refit_without_it(sizes: list[int], seed: int) -> None:
    labels, classes = labels_of(sizes), len(sizes) + 1
    vectors = unit_vectors(len(labels), seed)
    rows = np.arange(len(labels))[::2]
    found = kernel_ridge.scores_without_label(vectors, labels, classes, rows)
    assert not np.delete(found, rows, axis=0).any()
    for row in rows.tolist():
        expected = refit(vectors, labels, classes, labels != labels[row])
        np.testing.assert_allclose(found[row], expected[row], atol=1e-4)


def test_of_many_phrases_some_stand_for_a_hidden_label(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, vectors = labels_of([20, 20]), unit_vectors(40, 1)
    monkeypatch.setattr(kernel_ridge, "MAX_WITHOUT", 10)
    found = kernel_ridge.scores_without_label(vectors, labels, 3, np.arange(20))
    chosen = fitted_phrases(labels, 10)
    part = np.isin(np.arange(40), chosen) & (labels == 1)
    head, _ = kernel_ridge.fit(vectors[part], labels[part], 3, np.full(int(part.sum()), -1))
    # Both labels have as many phrases, so that each phrase weighs the same with and without the other label.
    for row in (0, 1, 19):
        np.testing.assert_allclose(found[row], head.scores(vectors[part] @ vectors[row]), atol=1e-4)


@settings(deadline=None)
@given(SIZES, SEEDS)
def test_scores_are_those_of_plain_kernel_ridge_regression(sizes: list[int], seed: int) -> None:
    labels, classes = labels_of(sizes), len(sizes) + 1
    vectors = unit_vectors(len(labels), seed)
    head, _ = kernel_ridge.fit(vectors, labels, classes, assign_folds(labels))
    expected = refit(vectors, labels, classes, np.ones(len(labels), dtype=bool))
    for vector, scores in zip(vectors, expected, strict=True):
        np.testing.assert_allclose(head.scores(vectors @ vector), scores, atol=1e-4)


def test_a_large_catalog_of_few_labels_is_fitted_step_by_step_to_the_same_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = labels_of([200, 250, 60])
    vectors, folds = unit_vectors(len(labels), 5), assign_folds(labels)
    stepwise, stepwise_held_out = kernel_ridge.fit(vectors, labels, 4, folds)
    monkeypatch.setattr(kernel_ridge, "_WORTH_STEPS", len(labels))
    exact, exact_held_out = kernel_ridge.fit(vectors, labels, 4, folds)
    assert not np.array_equal(stepwise.coefficients, exact.coefficients)
    np.testing.assert_allclose(stepwise_held_out, exact_held_out, atol=5e-3)
    np.testing.assert_allclose(stepwise.scores(vectors @ vectors[0]), exact.scores(vectors @ vectors[0]), atol=5e-3)


def test_a_catalog_above_the_limit_is_scored_by_a_head_that_is_fitted_to_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_ridge, "MAX_FITTED", 9)
    labels = labels_of([4, 5, 4])
    vectors = np.eye(3, dtype=np.float32)[labels]
    head, held_out = kernel_ridge.fit(vectors, labels, 4, assign_folds(labels))
    assert head.coefficients.shape == (len(head.landmarks), 4) == (9, 4)
    assert head.scores(vectors @ vectors[6]).argmax() == 1
    assert held_out.argmax(axis=1).tolist() == labels.tolist()


def test_just_above_the_limit_scores_are_nearly_those_of_all_phrases(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = labels_of([40, 70, 20, 71])
    vectors, folds = unit_vectors(len(labels), 3), assign_folds(labels)
    whole, _ = kernel_ridge.fit(vectors, labels, 5, folds)
    monkeypatch.setattr(kernel_ridge, "MAX_FITTED", len(labels) - 1)
    part, _ = kernel_ridge.fit(vectors, labels, 5, folds)
    assert len(part.landmarks) == len(labels) - 1
    np.testing.assert_allclose(part.scores(vectors @ vectors[0]), whole.scores(vectors @ vectors[0]), atol=0.03)


def test_the_labels_with_the_most_phrases_give_up_theirs_first() -> None:
    cases: list[tuple[list[int], int, list[int]]] = [
        ([2, 3], 5, [0, 1, 2, 3, 4]),
        ([1, 5, 2], 6, [0, 1, 3, 5, 6, 7]),
        ([2, 2, 2], 5, [0, 2, 4]),
        ([1, 1, 1, 1], 2, [0, 3]),
        ([1], 1, [0]),
    ]
    for sizes, most, kept in cases:
        assert fitted_phrases(labels_of(sizes), most).tolist() == kept, sizes


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8).filter(any), st.integers(1, 200))
def test_never_more_phrases_are_fitted_than_the_limit(sizes: list[int], most: int) -> None:
    kept = fitted_phrases(labels_of(sizes), most)
    assert 0 < len(kept) <= most
    assert (np.diff(kept) > 0).all()
    assert len(kept) == sum(sizes) or len(kept) > most - len(sizes) or most < len(sizes)


def test_the_kernel_is_one_at_the_same_vector_and_falls_with_the_angle() -> None:
    left = np.array([[1, 0]], dtype=np.float32)
    right = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    np.testing.assert_allclose(kernel(left, right), [[1, np.exp(-1 / WIDTH), np.exp(-2 / WIDTH)]], rtol=1e-5)


def test_identical_phrases_under_two_labels_share_the_score() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    head, held_out = kernel_ridge.fit(vectors, np.array([0, 1, 1]), 3, np.array([0, 1, 2]))
    scores = head.scores(vectors @ vectors[0])
    assert np.isfinite(held_out).all()
    assert scores[:2].min() > 0.25
    assert scores.sum() < 1


def test_zero_vectors_give_finite_scores() -> None:
    vectors, labels = np.zeros((4, 3), dtype=np.float32), np.array([0, 0, 1, 1])
    head, held_out = kernel_ridge.fit(vectors, labels, 3, assign_folds(labels))
    assert np.isfinite(held_out).all()
    assert np.isfinite(head.scores(vectors @ vectors[0])).all()


def test_a_label_without_phrases_scores_nothing() -> None:
    vectors = np.eye(2, dtype=np.float32)
    head, held_out = kernel_ridge.fit(vectors, np.array([0, 1]), 3, np.array([0, 1]))
    assert head.scores(vectors @ vectors[0])[2] == 0
    assert held_out[:, 2].tolist() == [0, 0]
