"""A first pass over many vectors: the signs of their numbers, of which the nearest share most with those of the query.

For vectors whose numbers are centred and of equal spread, the share of differing signs estimates the angle (Charikar,
Similarity Estimation Techniques from Rounding Algorithms, 2002).
"""

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray, IntArray

Codes = npt.NDArray[np.uint64]


def signs(vectors: FloatArray) -> Codes:
    """The signs of vectors, float32 (n, k), as bits: uint64 (n, ceil(k / 64)); missing numbers count as negative."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


def nearest_rows(codes: Codes, query: Codes, count: int) -> IntArray:
    """Rows of the codes with the fewest bits that differ from the query's: int64, ascending; `count` at least.

    All rows that differ in as many bits as the last one that is needed are among them.

    Args:
        codes: uint64 (n, words).
        query: uint64 (words,).
        count: how many rows are wanted; all if there are no more.
    """
    differing = np.zeros(len(codes), dtype=np.uint16)
    for word in range(codes.shape[1]):
        differing += np.bitwise_count(codes[:, word] ^ query[word])
    reached = np.cumsum(np.bincount(differing, minlength=1))
    limit = int(np.searchsorted(reached, min(count, len(codes))))
    return np.flatnonzero(differing <= limit)
