"""A first pass over all phrases, with 4 bits a number, that leaves few labels to be compared exactly.

It is a product of the same operator as that of 8 bits, and takes half as long for one text. The signs of the numbers
alone (Charikar, Similarity Estimation Techniques from Rounding Algorithms, 2002) take a quarter of the memory, but of
1,000,000 phrases they lose the nearest label of 2.5% of 200 held-out needs, even if 4,096 phrases are compared exactly.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.index.quantization import Blocks, step_of
from embeddings.index.vector_product import VectorProduct

BITS: Final = 4

COMPARED: Final = 512
"""Labels that are left to be compared exactly. Of 100,000 labels with 1,000,000 phrases, they hold the nearest one for
all of 500 held-out queries, and 99.97% of the nearest 128; 256 labels hold 99.4% of these."""

MARGIN: Final = 0.05
"""How far below the best phrase of its label another one may be to be compared as well. With 256 numbers, a product of
4 bits is off by 0.008 (one standard deviation)."""

_LEVELS: Final = 7
_ZERO: Final = 8
_BLOCK_SIZES: Final = (256, 128, 64)
_SMALLEST_BLOCK: Final = 32

_SHARD: Final = 65_536
"""Phrases of one product, so that preparing it takes little memory beside the product."""

_AT_ONCE: Final = 4
"""Texts whose products with all phrases are in memory together: 16 MB with 1,000,000 phrases."""


def coarse(vectors: FloatArray) -> Blocks:
    """Quantize vectors, float32 (n, width), to 4 bits: two numbers a byte, the first one in the lower half."""
    rows, width = vectors.shape
    size = next((size for size in _BLOCK_SIZES if width % size == 0), _SMALLEST_BLOCK)
    count = -(-width // size)
    padded = np.zeros((rows, count * size), dtype=np.float32)
    padded[:, :width] = vectors
    blocks = padded.reshape(rows, count, size)
    scales = step_of(np.abs(blocks).max(axis=2), _LEVELS)
    values = (np.rint(blocks / scales[:, :, None]) + _ZERO).astype(np.uint8)
    return Blocks(np.asarray(values[:, :, ::2] | values[:, :, 1::2] << BITS, dtype=np.uint8), scales, width)


class FirstPass:
    """Finds the labels that may have the nearest phrases. Safe to share between threads."""

    def __init__(self, starts: IntArray, part: Callable[[int, int], Blocks]) -> None:
        """Prepare the products.

        Args:
            starts: the first row of each label, ascending, and the number of rows after them.
            part: gives the rows from one number up to another; they are asked for once.
        """
        self._starts = starts
        # Shards end where a label does.
        wanted = np.arange(_SHARD, int(starts[-1]), _SHARD)
        ends = np.unique(np.append(starts[np.searchsorted(starts, wanted)], starts[-1]))
        self._products = [
            VectorProduct(part(start, end), BITS)
            for start, end in zip([0, *ends.tolist()], ends.tolist(), strict=False)
        ]

    def __call__(self, vectors: FloatArray, admitted: BoolArray | None = None) -> IntArray:
        """The rows that are to be compared with the vectors exactly: int64, ascending.

        Args:
            vectors: float32 (q, width).
            admitted: bool (labels,), which labels count; None for all.
        """
        found = [np.zeros(0, dtype=np.int64)]
        for first in range(0, len(vectors), _AT_ONCE):
            some = vectors[first : first + _AT_ONCE]
            parts = [product(some) for product in self._products]
            found += [self._near(np.concatenate(products), admitted) for products in zip(*parts, strict=True)]
        return np.unique(np.concatenate(found))

    def _near(self, products: FloatArray, admitted: BoolArray | None) -> IntArray:
        best = np.maximum.reduceat(products, self._starts[:-1])
        if admitted is not None:
            best[~admitted] = -np.inf
        most = min(COMPARED, len(best))
        labels = np.sort(np.argpartition(best, -most)[-most:])
        labels = labels[best[labels] > -np.inf]
        sizes = self._starts[labels + 1] - self._starts[labels]
        rows = np.repeat(self._starts[labels] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        near: IntArray = rows[products[rows] >= np.repeat(best[labels], sizes) - MARGIN]
        return near
