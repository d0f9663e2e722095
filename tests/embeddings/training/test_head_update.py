import numpy as np
import pytest

from embeddings.arrays import FloatArray, IntArray
from embeddings.index.fitted_index import KernelRidge
from embeddings.training import kernel_ridge
from embeddings.training import update as head_update
from embeddings.training.update import Change

LABELS = np.repeat(np.arange(4), [30, 40, 20, 30])
"""Three labels, and "none"."""


def unit_vectors(count: int, seed: int = 3) -> FloatArray:
    vectors = np.random.default_rng(seed).normal(size=(count, 24))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def fitted(vectors: FloatArray, labels: IntArray, classes: int = 4) -> KernelRidge:
    return kernel_ridge.fit(vectors, labels, classes, np.full(len(labels), -1))[0]


def scores(head: KernelRidge, vectors: FloatArray, queries: FloatArray) -> FloatArray:
    return np.array([head.scores(vectors @ query) for query in queries])


VECTORS = unit_vectors(len(LABELS))
QUERIES = unit_vectors(25, seed=8)
ROWS = np.arange(len(LABELS))
COLUMNS = np.arange(4)


def without(rows: IntArray) -> tuple[KernelRidge, IntArray, FloatArray]:
    """Return the head fitted without some phrases, the rows it knows the others by (-1 for these), and its vectors."""
    kept = np.setdiff1d(ROWS, rows)
    before = np.full(len(LABELS), -1)
    before[kept] = np.arange(len(kept))
    return fitted(VECTORS[kept], LABELS[kept]), before, VECTORS[kept]


@pytest.fixture(params=[60, 100, 200])
def solved(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of phrases that are solved again: half of them, most, all."""
    monkeypatch.setattr(head_update, "MAX_SOLVED", request.param)
    return int(request.param)


def tolerance(solved: int) -> float:
    """Scores are about 1. What is left out of the solution costs accuracy."""
    return {60: 0.1, 100: 0.05, 200: 1e-4}[solved]


def test_added_phrases_are_fitted_as_if_all_were(solved: int) -> None:
    head, before, _ = without(np.arange(5, 15))
    updated = head_update.update(head, VECTORS, LABELS, Change(before, COLUMNS, VECTORS[:0]))
    whole = fitted(VECTORS, LABELS)
    start = scores(KernelRidge(np.flatnonzero(before >= 0), head.coefficients), VECTORS, QUERIES)
    wanted, found = scores(whole, VECTORS, QUERIES), scores(updated, VECTORS, QUERIES)
    np.testing.assert_allclose(found, wanted, atol=tolerance(solved))
    assert np.abs(found - wanted).max() < np.abs(start - wanted).max() / 2


def test_removed_phrases_are_forgotten_as_if_they_had_never_been(solved: int) -> None:
    gone = np.arange(5, 15)
    kept = np.setdiff1d(ROWS, gone)
    change = Change(kept, COLUMNS, VECTORS[gone])
    updated = head_update.update(fitted(VECTORS, LABELS), VECTORS[kept], LABELS[kept], change)
    wanted = scores(fitted(VECTORS[kept], LABELS[kept]), VECTORS[kept], QUERIES)
    np.testing.assert_allclose(scores(updated, VECTORS[kept], QUERIES), wanted, atol=tolerance(solved))


def test_a_label_that_is_gone_leaves_no_column(solved: int) -> None:
    kept = np.flatnonzero(LABELS != 2)
    labels = np.where(LABELS[kept] == 3, 2, LABELS[kept])
    change = Change(kept, np.array([0, 1, 3]), VECTORS[LABELS == 2])
    updated = head_update.update(fitted(VECTORS, LABELS), VECTORS[kept], labels, change)
    wanted = scores(fitted(VECTORS[kept], labels, 3), VECTORS[kept], QUERIES)
    np.testing.assert_allclose(scores(updated, VECTORS[kept], QUERIES), wanted, atol=tolerance(solved))


def test_phrases_in_another_order_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_update, "MAX_SOLVED", 60)
    order = np.lexsort((-ROWS, LABELS))
    head = fitted(VECTORS, LABELS)
    change = Change(order, COLUMNS, VECTORS[:0])
    updated = head_update.update(head, VECTORS[order], LABELS[order], change)
    found = scores(updated, VECTORS[order], QUERIES)
    np.testing.assert_allclose(found, scores(head, VECTORS, QUERIES), atol=0.01)


def test_the_head_keeps_to_the_number_of_phrases_that_it_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_update, "MAX_SOLVED", 60)
    monkeypatch.setattr(kernel_ridge, "MAX_FITTED", 90)
    head, before, _ = without(np.arange(5, 15))
    updated = head_update.update(head, VECTORS, LABELS, Change(before, COLUMNS, VECTORS[:0]))
    updated.check(len(LABELS), 3)
    assert len(updated.landmarks) <= 90
    assert set(range(5, 15)) & set(updated.landmarks.tolist())
