"""The first pass over 4 bits a number, beside products of all numbers."""

from itertools import pairwise

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.engines import file_base as module
from embeddings.engines.file_base import FirstPass, coarse
from embeddings.index.vector_product import Blocks, VectorProduct
from tests.embeddings.engines.sample import unit


def _vectors(count: int, width: int, seed: int) -> FloatArray:
    return unit(np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32))


def _restored(blocks: Blocks) -> FloatArray:
    pairs = np.stack([blocks.values & 15, blocks.values >> 4], axis=-1).reshape(*blocks.values.shape[:2], -1)
    numbers = (pairs.astype(np.float32) - 8) * blocks.scales[:, :, None]
    return np.asarray(numbers.reshape(len(pairs), -1)[:, : blocks.width], dtype=np.float32)


def _first_pass(vectors: FloatArray, starts: IntArray) -> FirstPass:
    return FirstPass(starts, [coarse(vectors)])


def _starts(sizes: list[int]) -> IntArray:
    return np.cumsum([0, *sizes]).astype(np.int64)


def test_each_number_is_off_by_half_a_step_at_most() -> None:
    for width in [1, 32, 100, 256, 384]:
        vectors = _vectors(20, width, seed=1)
        blocks = coarse(vectors)
        steps = np.repeat(blocks.scales, 2 * blocks.block_size, axis=1)[:, :width]
        assert (np.abs(_restored(blocks) - vectors) <= steps * 0.501).all(), width


def test_the_zero_vector_stays_zero() -> None:
    assert not _restored(coarse(np.zeros((1, 64), dtype=np.float32))).any()


def test_the_product_is_that_of_the_numbers() -> None:
    for width in [32, 100, 256, 384]:
        blocks, queries = coarse(_vectors(50, width, seed=2)), _vectors(3, width, seed=3)
        expected = queries @ _restored(blocks).T
        assert np.abs(VectorProduct(blocks, 4)(queries) - expected).max() < 0.02, width


def test_the_nearest_phrase_of_nearly_every_label_is_left_if_labels_are_few() -> None:
    starts = _starts([1, 2, 5, 9] * 100)
    vectors, queries = _vectors(int(starts[-1]), 256, seed=4), _vectors(20, 256, seed=5)
    first_pass = _first_pass(vectors, starts)
    missed = 0
    for query in queries:
        cosines, rows = vectors @ query, first_pass(query[None])
        best = [int(start + np.argmax(cosines[start:end])) for start, end in pairwise(starts.tolist())]
        missed += np.isin(best, rows, invert=True).sum()
    assert missed <= 2  # of 8,000: the margin is 4.4 standard deviations of the difference of two products


def test_shards_leave_what_one_product_leaves() -> None:
    starts = _starts([7, 1, 30, 2, 2, 50, 1])
    vectors, queries = _vectors(93, 64, seed=5), _vectors(9, 64, seed=6)
    whole = _first_pass(vectors, starts)(queries)
    shards = [coarse(vectors[start:end]) for start, end in pairwise([0, 8, 40, 92, 93])]
    assert FirstPass(starts, shards)(queries).tolist() == whole.tolist()


def test_of_many_labels_the_nearest_ones_are_left() -> None:
    starts = _starts([3] * 3000)
    vectors, queries = _vectors(9000, 256, seed=7), _vectors(20, 256, seed=8)
    first_pass = _first_pass(vectors, starts)
    for query in queries:
        rows = first_pass(query[None])
        best = np.maximum.reduceat(vectors @ query, starts[:-1])
        nearest = np.argsort(-best)[:100]
        assert len(np.unique(rows // 3)) == module.COMPARED
        assert np.isin(nearest, rows // 3).all()


def test_only_admitted_labels_are_left() -> None:
    starts = _starts([2] * 50)
    admitted = np.zeros(50, dtype=bool)
    admitted[[3, 17]] = True
    rows = _first_pass(_vectors(100, 64, seed=9), starts)(_vectors(2, 64, seed=10), admitted)
    assert {*(rows // 2).tolist()} == {3, 17}


def test_nothing_is_left_if_no_label_is_admitted() -> None:
    rows = _first_pass(_vectors(4, 64, seed=9), _starts([2, 2]))(_vectors(2, 64, seed=10), np.zeros(2, dtype=bool))
    assert rows.tolist() == []
