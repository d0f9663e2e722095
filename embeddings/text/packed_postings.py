"""The postings of an index with each weight beside its text, so that adding them up reads half as much memory."""

from typing import Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray, IntArray
from embeddings.text.inverted_index import FREQUENT, FREQUENT_BYTES, InvertedIndex

MOST_TEXTS: Final = 1 << 16
"""Most texts of an index that is packed: a text's place has two bytes."""

FEWEST_TEXTS: Final = 1 << 12
"""Fewest texts of an index that is packed; a smaller one fits into the processor's cache as it is."""

_STEPS: Final = 65_535
"""Steps from 0 to the largest weight. Rounding to these moves a similarity by 2e-5 at most over the 18,647 phrases and
292 queries of `benchmarks/dev.jsonl`."""

Pairs = npt.NDArray[np.uint16]


class PackedPostings:
    """Weights of terms in texts, each times the rarity of its term."""

    def __init__(self, pairs: Pairs, starts: IntArray, frequent: dict[int, FloatArray], size: int, step: float) -> None:
        """Use `of`."""
        self._pairs = pairs
        self._starts = starts
        self._frequent = frequent
        self._size = size
        self._step = step

    @classmethod
    def of(cls, index: InvertedIndex) -> Self:
        """Pack an index of at most `MOST_TEXTS` texts whose weights are 0 or more."""
        weights = index.weights * np.repeat(index.rarity, np.diff(index.starts))
        step = max(float(weights.max(initial=0)) / _STEPS, np.finfo(np.float32).tiny)
        weights *= np.float32(1 / step)
        pairs = np.empty((len(weights), 2), dtype=np.uint16)
        pairs[:, 0] = index.rows
        pairs[:, 1] = np.rint(weights, out=weights)
        spread = np.diff(index.starts)
        most = FREQUENT_BYTES // (4 * index.size)
        frequent = np.argsort(-spread, kind="stable")[:most]
        frequent = frequent[spread[frequent] * FREQUENT >= index.size]
        return cls(
            pairs.reshape(-1),
            2 * index.starts,
            {
                place: _everywhere(pairs[slice(*index.starts[place : place + 2])], index.size)
                for place in frequent.tolist()
            },
            index.size,
            step,
        )

    def add_up(self, places: IntArray, times: FloatArray) -> FloatArray:
        """Add up, for each text, the weights of terms as often as the phrase has them: float32 (size,)."""
        total = np.zeros(self._size, dtype=np.float32)
        apart = []
        begins, ends = self._starts[places].tolist(), self._starts[places + 1].tolist()
        for place, often, begin, end in zip(places.tolist(), times.tolist(), begins, ends, strict=True):
            for _ in range(int(often)):
                if (everywhere := self._frequent.get(place)) is None:
                    apart.append(self._pairs[begin:end])
                else:
                    total += everywhere
        if apart:
            pairs = np.concatenate(apart)
            total += np.bincount(pairs[::2], weights=pairs[1::2], minlength=self._size)
        total *= np.float32(self._step)
        return total


def _everywhere(pairs: Pairs, size: int) -> FloatArray:
    """The weights of one term in every text, float32 (size,)."""
    found = np.zeros(size, dtype=np.float32)
    found[pairs[:, 0]] = pairs[:, 1]
    return found
