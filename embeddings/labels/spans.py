"""The range of each label's phrases in an array over all phrases, and reductions over these ranges."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray


class _Blocks(NamedTuple):
    """Every label's phrases in blocks of at most `width`, so that where a label's best is need not be sought in all.

    Attributes:
        width: most phrases of a block.
        starts: int64 (blocks,), first phrase of each block.
        ends: int64 (blocks,), end of each block.
        first: int64 (groups,), first block of each group: a label, or "none" if it has phrases.
        groups: int64 (blocks,), the group of each block.
        single: bool (groups,), whether a group has one phrase.
    """

    width: int
    starts: IntArray
    ends: IntArray
    first: IntArray
    groups: IntArray
    single: BoolArray


@dataclass(frozen=True)
class Spans:
    """The range of each label's phrases. Phrases are sorted by label; out-of-scope phrases ("none") come last.

    Attributes:
        starts: int64 (labels + 1,), first phrase of each label and of "none", which may have no phrases.
        total: number of phrases.
    """

    starts: IntArray
    total: int

    @classmethod
    def of(cls, owners: IntArray, labels: int) -> "Spans":
        """Compute the spans.

        Args:
            owners: int64 (n,) in [0, labels], the label of each phrase, sorted; every label has at least one phrase.
            labels: number of labels, not counting "none".
        """
        return cls(np.searchsorted(owners, np.arange(labels + 1)), len(owners))

    @property
    def labels(self) -> int:
        """Number of labels, not counting "none"."""
        return len(self.starts) - 1

    @property
    def has_none(self) -> bool:
        """Whether there are out-of-scope phrases."""
        return bool(self.starts[-1] < self.total)

    @property
    def sizes(self) -> IntArray:
        """Number of phrases of each label and of "none": int64 (labels + 1,)."""
        return np.diff(np.append(self.starts, self.total))

    def best(self, values: FloatArray) -> FloatArray:
        """Return the largest value among each label's phrases: (labels + 1,); 0 for "none" if it has no phrases."""
        if self.has_none:
            return np.maximum.reduceat(values, self.starts)
        return np.append(np.maximum.reduceat(values, self.starts[:-1]), np.float32(0))

    def two_best_mean(self, values: FloatArray) -> FloatArray:
        """Return the mean of the two largest values among each label's phrases; for a single phrase, its value."""
        return self.best_and_mean(values)[1]

    def best_and_mean(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what `best` and `two_best_mean` return, in one pass over the values."""
        blocks = self._blocks
        tops = np.maximum.reduceat(values, blocks.starts)
        best = np.maximum.reduceat(tops, blocks.first)
        holding = np.flatnonzero(tops == best[blocks.groups])
        # If several blocks hold the largest value, take it from the first.
        chosen = holding[np.searchsorted(holding, blocks.first)]
        rows = blocks.starts[chosen, None] + np.arange(blocks.width)
        near = values.take(rows, mode="clip")
        near[rows >= blocks.ends[chosen, None]] = -np.inf
        near[np.arange(len(near)), near.argmax(axis=1)] = -np.inf
        tops[chosen] = near.max(axis=1)
        second = np.maximum.reduceat(tops, blocks.first)
        mean = ((best + np.where(blocks.single, best, second)) / 2).astype(np.float32)
        if self.has_none:
            return best, mean
        return np.append(best, np.float32(0)), np.append(mean, np.float32(0))

    @cached_property
    def _blocks(self) -> _Blocks:
        sizes = self.sizes if self.has_none else self.sizes[:-1]
        # About as many blocks a label as a block has phrases, so that few numbers are looked at.
        width = 2 * math.isqrt(max(1, self.total // len(sizes)))
        counts = -(-sizes // width)
        groups = np.repeat(np.arange(len(sizes)), counts)
        first = np.cumsum(counts) - counts
        starts = self.starts[groups] + (np.arange(len(groups)) - first[groups]) * width
        return _Blocks(width, starts, np.append(starts[1:], self.total), first, groups, sizes == 1)
