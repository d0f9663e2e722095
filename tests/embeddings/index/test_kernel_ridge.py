import numpy as np

from embeddings.index.fitted_index import NARROW, WIDTH, KernelRidge


def test_scores_are_those_of_a_plain_loop_however_the_coefficients_are_stored() -> None:
    cases: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = [np.arange(5), np.array([0, 3])]
    for columns in [1, 3, NARROW, NARROW + 1]:
        for landmarks in cases:
            generator = np.random.default_rng(columns)
            coefficients = generator.normal(size=(len(landmarks), columns)).astype(np.float32)
            cosines = generator.uniform(-1, 1, 5).astype(np.float32)
            expected = [
                sum(coefficients[row, column] * np.exp((cosines[at] - 1) / WIDTH) for row, at in enumerate(landmarks))
                for column in range(columns)
            ]
            np.testing.assert_allclose(
                KernelRidge(landmarks, coefficients).scores(cosines), expected, rtol=1e-4, atol=1e-5
            )


def test_few_columns_are_stored_one_after_another() -> None:
    head = KernelRidge(np.arange(4), np.ones((4, 3), dtype=np.float32))
    assert head.coefficients.flags.f_contiguous
    assert head.coefficients.shape == (4, 3)


def test_a_rounded_head_differs_by_half_a_step_of_half_precision_and_is_rounded_once() -> None:
    coefficients = np.random.default_rng(1).normal(scale=[1e-6, 1e-2, 1, 1e3], size=(50, 4)).astype(np.float32)
    rounded = KernelRidge(np.arange(50), coefficients).rounded()
    # The steps of 11 bits are 2**-10 of a number at most; below 2**-14 they are 2**-24.
    most = np.maximum(2.0**-11 * np.abs(coefficients.astype(np.float64)), 2.0**-25)
    assert (np.abs(rounded.coefficients.astype(np.float64) - coefficients) <= most).all()
    assert np.array_equal(rounded.rounded().coefficients, rounded.coefficients)
    assert rounded.coefficients.dtype == np.float32
