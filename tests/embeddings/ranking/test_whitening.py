import numpy as np

from embeddings.arrays import FloatArray
from embeddings.ranking.signals import whiten
from embeddings.training.build import fit_whitening

OWNERS = np.repeat(np.arange(3), 40)


def phrases() -> FloatArray:
    """Return two labels told apart on the first axis, phrases of each strewn along the second; the rest fit nothing."""
    generator = np.random.default_rng(3)
    centres = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 0, 1.0]])[OWNERS]
    strewn = centres + generator.normal(size=(120, 3)) * [0.05, 0.8, 0.05]
    return np.asarray(strewn / np.linalg.norm(strewn, axis=1, keepdims=True), dtype=np.float32)


def test_a_direction_in_which_labels_vary_is_shrunk_against_one_that_tells_them_apart() -> None:
    whitening = fit_whitening(phrases(), OWNERS, labels=2)
    assert whitening[1, 1] < 0.7 * whitening[0, 0]


def test_phrases_of_a_label_draw_together() -> None:
    vectors = phrases()
    mapped = whiten(vectors, fit_whitening(vectors, OWNERS, labels=2))
    assert (mapped[:40] @ mapped[:40].T).mean() > (vectors[:40] @ vectors[:40].T).mean()


def test_phrases_that_fit_nothing_have_no_say() -> None:
    vectors = phrases()
    without = fit_whitening(vectors[:80], OWNERS[:80], labels=2)
    np.testing.assert_array_equal(fit_whitening(vectors, OWNERS, labels=2), without)


def test_labels_of_one_phrase_each_leave_vectors_as_they_are() -> None:
    vectors = phrases()[[0, 50]]
    whitening = fit_whitening(vectors, np.array([0, 1]), labels=2)
    np.testing.assert_array_equal(whitening, np.eye(3, dtype=np.float32))


def test_zero_vectors_stay_zero() -> None:
    zeros = np.zeros((4, 3), dtype=np.float32)
    whitening = fit_whitening(zeros, np.array([0, 0, 1, 1]), labels=2)
    assert not whiten(zeros, whitening).any()


def test_mapped_vectors_have_unit_length() -> None:
    mapped = whiten(phrases(), fit_whitening(phrases(), OWNERS, labels=2))
    np.testing.assert_allclose(np.linalg.norm(mapped, axis=1), 1, rtol=1e-5)


def test_a_single_vector_is_mapped_as_one_of_several() -> None:
    whitening = fit_whitening(phrases(), OWNERS, labels=2)
    for place, vector in enumerate(phrases()):
        np.testing.assert_allclose(whiten(vector[None], whitening)[0], whiten(phrases(), whitening)[place], atol=1e-6)


def test_a_single_zero_vector_stays_zero() -> None:
    whitening = fit_whitening(phrases(), OWNERS, labels=2)
    found = whiten(np.zeros((1, whitening.shape[0]), dtype=np.float32), whitening)
    assert found.dtype == np.float32
    assert not found.any()
