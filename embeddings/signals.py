"""What is known of each label for one query, as numbers: the columns that the choice model weighs."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

LABEL_SIGNALS: Final = ("kernel", "cosine", "spelling", "substring")
"""kernel: score of the ranking head. cosine: mean of the two best cosines to the label's phrases. spelling: best
character n-gram similarity to one of them. substring: share of the phrase that is a name or alias, or the reverse."""

NONE_SIGNALS: Final = ("none", "none kernel", "none cosine", "none spelling")
"""For "none of them": its head start, and how much the query is like the out-of-scope phrases."""

SIGNALS: Final = LABEL_SIGNALS + NONE_SIGNALS

EMBEDDING_SIGNALS: Final = ("kernel", "cosine", "none kernel", "none cosine")
"""Those that need the model; the others are lexical."""

NEEDS_MODEL: Final = np.array([signal in EMBEDDING_SIGNALS for signal in SIGNALS])
"""bool (signals,)"""

_OWN: Final = len(LABEL_SIGNALS)


def assemble(kernel: FloatArray, cosine: FloatArray, spelling: FloatArray, substring: FloatArray) -> FloatArray:
    """Put the signals of one query together.

    Args:
        kernel: (labels + 1,), "none" last; so are cosine and spelling.
        cosine: see `LABEL_SIGNALS`.
        spelling: see `LABEL_SIGNALS`.
        substring: (labels,).

    Returns:
        float32 (labels + 1, signals), columns as in `SIGNALS`; the last row is "none of them".
    """
    labels = len(substring)
    values = np.zeros((labels + 1, len(SIGNALS)), dtype=np.float32)
    for column, signal in enumerate((kernel, cosine, spelling)):
        values[:labels, column] = signal[:labels]
        values[labels, _OWN + 1 + column] = signal[labels]
    values[:labels, _OWN - 1] = substring
    values[labels, _OWN] = 1
    return values


@dataclass(frozen=True)
class Spans:
    """Where each label's phrases lie among all, which are sorted by label with those of "none" last.

    Attributes:
        starts: int64 (labels + 1,), first phrase of each label and of "none"; the latter may have no phrases.
        total: number of phrases.
    """

    starts: IntArray
    total: int

    @classmethod
    def of(cls, owners: IntArray, labels: int) -> "Spans":
        """The spans of sorted owners, int64 (n,) in [0, labels]; every label owns one phrase at least."""
        return cls(np.searchsorted(owners, np.arange(labels + 1)), len(owners))

    @property
    def labels(self) -> int:
        """Number of labels, "none" not counted."""
        return len(self.starts) - 1

    @property
    def has_none(self) -> bool:
        """Whether there are out-of-scope phrases."""
        return bool(self.starts[-1] < self.total)

    @property
    def sizes(self) -> IntArray:
        """Phrases of each label and of "none": int64 (labels + 1,)."""
        return np.diff(np.append(self.starts, self.total))

    def best(self, values: FloatArray) -> FloatArray:
        """The largest value of each label's phrases: (labels + 1,); 0 for a "none" without phrases."""
        if self.has_none:
            return np.maximum.reduceat(values, self.starts)
        return np.append(np.maximum.reduceat(values, self.starts[:-1]), np.float32(0))

    def two_best_mean(self, values: FloatArray) -> FloatArray:
        """Mean of the two largest values of each label's phrases; the value itself where there is one phrase."""
        best, sizes = self.best(values), self.sizes
        rows = np.flatnonzero(values == np.repeat(best, sizes))
        # Of equally near phrases only the first gives way.
        rows = rows[np.searchsorted(rows, self.starts[sizes > 0])]
        rest = values.copy()
        rest[rows] = -np.inf
        return np.where(sizes > 1, (best + self.best(rest)) / 2, best).astype(np.float32)
