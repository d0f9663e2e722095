"""The range of each label's phrases in an array over all phrases, and reductions over these ranges."""

from dataclasses import dataclass

import numpy as np

from embeddings.arrays import FloatArray, IntArray


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
        best, sizes = self.best(values), self.sizes
        rows = np.flatnonzero(values == np.repeat(best, sizes))
        # If several phrases share the largest value, remove only the first.
        rows = rows[np.searchsorted(rows, self.starts[sizes > 0])]
        rest = values.copy()
        rest[rows] = -np.inf
        return np.where(sizes > 1, (best + self.best(rest)) / 2, best).astype(np.float32)
