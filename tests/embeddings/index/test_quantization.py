import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.index.vector_product import quantize


@settings(deadline=None)
@given(st.integers(0, 6), st.integers(1, 70), st.sampled_from([16, 32, 64]), st.integers(0, 10_000))
def test_numbers_come_back_off_by_half_a_step_at_most(rows: int, width: int, block_size: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
    blocks = quantize(matrix, block_size)
    steps = np.repeat(blocks.scales, block_size, axis=1)[:, :width]
    assert blocks.restore().shape == matrix.shape
    assert (np.abs(blocks.restore() - matrix) <= steps / 2 + 1e-6).all()


def test_what_is_restored_is_stored_the_same() -> None:
    blocks = quantize(np.random.default_rng(2).normal(size=(5, 40)).astype(np.float32), 32)
    np.testing.assert_array_equal(quantize(blocks.restore(), 32).values, blocks.values)


def test_zeros_stay_zero() -> None:
    assert not quantize(np.zeros((2, 40), dtype=np.float32), 32).restore().any()


def test_a_last_block_is_filled_up() -> None:
    for width, count in [(32, 1), (33, 2), (64, 2)]:
        blocks = quantize(np.ones((3, width), dtype=np.float32), 32)
        assert blocks.values.shape == (3, count, 32), width
        assert (blocks.values.reshape(3, -1)[:, width:] == 128).all(), width
