import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import kernel
from embeddings.training import kernel_ridge


def unit_vectors(count: int, seed: int, dimensions: int = 6) -> FloatArray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimensions))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 10_000), st.booleans())
def test_the_solution_is_that_of_elimination_over_the_rows_that_are_seen(count: int, seed: int, some: bool) -> None:
    generator = np.random.default_rng(seed)
    system = kernel(vectors := unit_vectors(count, seed), vectors)
    penalty = generator.uniform(0.1, 1, count).astype(np.float32)
    targets = generator.normal(size=(count, 3)).astype(np.float32)
    seen = generator.random(count) < 0.7 if some else np.ones(count, dtype=bool)
    solution = kernel_ridge.by_conjugate_gradients(system, penalty, targets, seen)
    expected = np.linalg.solve((system + np.diag(penalty))[np.ix_(seen, seen)].astype(np.float64), targets[seen])
    assert not solution[~seen].any()
    np.testing.assert_allclose(system[:, seen] @ solution[seen], system[:, seen] @ expected, atol=0.05)


def test_more_rows_than_landmarks_are_solved_to_the_tolerance() -> None:
    count = 3 * kernel_ridge.LANDMARKS
    system = kernel(vectors := unit_vectors(count, 1, 32), vectors)
    penalty = np.full(count, 0.1, dtype=np.float32)
    targets = np.random.default_rng(2).normal(size=(count, 2)).astype(np.float32)
    solution = kernel_ridge.by_conjugate_gradients(system, penalty, targets, np.ones(count, dtype=bool))
    residual = targets - system @ solution - penalty[:, None] * solution
    relative = np.linalg.norm(residual, axis=0) / np.linalg.norm(targets, axis=0)
    assert relative.max() <= 2 * kernel_ridge.TOLERANCE


def test_nothing_wanted_and_nothing_seen_give_nothing() -> None:
    system = kernel(vectors := unit_vectors(5, 3), vectors)
    penalty, targets = np.ones(5, dtype=np.float32), np.zeros((5, 2), dtype=np.float32)
    assert not kernel_ridge.by_conjugate_gradients(system, penalty, targets, np.ones(5, dtype=bool)).any()
    assert not kernel_ridge.by_conjugate_gradients(system, penalty, targets + 1, np.zeros(5, dtype=bool)).any()


def test_identical_rows_share_alike() -> None:
    vectors = np.tile(unit_vectors(1, 4), (4, 1))
    system, penalty = kernel(vectors, vectors), np.full(4, 0.1, dtype=np.float32)
    targets = np.ones((4, 1), dtype=np.float32)
    solution = kernel_ridge.by_conjugate_gradients(system, penalty, targets, np.ones(4, dtype=bool))
    np.testing.assert_allclose(solution, 1 / 4.1, rtol=0.02)
