"""The range of each label's phrases in an array over all phrases, and reductions over these ranges."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray


class _Groups(NamedTuple):
    """The labels, and "none" if it has phrases.

    Attributes:
        starts: int64 (groups,), first phrase of each.
        sizes: int64 (groups,), number of phrases of each.
        single: bool (groups,), which have one phrase; None if none has.
    """

    starts: IntArray
    sizes: IntArray
    single: BoolArray | None


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
        """Return what `best` and `two_best_mean` return."""
        groups = self._groups
        best = np.maximum.reduceat(values, groups.starts)
        places = np.flatnonzero(values == best.repeat(groups.sizes))
        if len(places) > len(best):
            # Several phrases of a label have the largest value; leave all but the first of each where they are.
            places = places[np.searchsorted(places, groups.starts)]
        others = values.copy()
        others[places] = -np.inf
        second = np.maximum.reduceat(others, groups.starts)
        if groups.single is not None:
            np.copyto(second, best, where=groups.single)
        mean: FloatArray = np.multiply(best + second, 0.5, dtype=np.float32)
        if self.has_none:
            return best, mean
        return np.append(best, np.float32(0)), np.append(mean, np.float32(0))

    @cached_property
    def _groups(self) -> _Groups:
        count = len(self.starts) if self.has_none else self.labels
        sizes = self.sizes[:count]
        single = sizes == 1
        return _Groups(self.starts[:count], sizes, single if single.any() else None)
