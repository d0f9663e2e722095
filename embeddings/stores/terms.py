"""Counted terms of texts, and in how many texts of a catalog each is, of which the rarity of terms is made."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import IntArray, ascending, require

Keys = npt.NDArray[np.uint32]
Small = npt.NDArray[np.uint16]

_MAX_COUNT: int = int(np.iinfo(np.uint16).max)


@dataclass(frozen=True)
class Terms:
    """The terms of some texts, counted.

    Attributes:
        keys: uint32 (p,), hash of a term, once for each text that has it.
        texts: uint16 (p,), the text, from 0, ascending.
        times: uint16 (p,), how often the text has it.
    """

    keys: Keys
    texts: Small
    times: Small

    @classmethod
    def of(cls, counts: Sequence[Counter[int]]) -> Self:
        """Arrange the counted terms of at most 65,536 texts."""
        return cls(
            np.array([key for count in counts for key in count], dtype=np.uint32),
            np.repeat(np.arange(len(counts), dtype=np.uint16), [len(count) for count in counts]),
            np.array([min(times, _MAX_COUNT) for count in counts for times in count.values()], dtype=np.uint16),
        )

    def check(self, texts: int) -> None:
        """Raise ValueError unless the arrays could come from `of` for so many texts."""
        require(len(self.keys) == len(self.texts) == len(self.times), "each term has a text and a number of times")
        require(not len(self.texts) or int(self.texts[-1]) < texts, "terms are of texts that there are")
        require(ascending(self.texts, strictly=False), "terms stand text by text")


@dataclass(frozen=True)
class Spread:
    """In how many texts of a catalog each term is.

    Attributes:
        size: number of texts.
        keys: uint32 (t,), hashes of the terms, ascending.
        texts: int64 (t,), the number of texts that have the term; 1 or more.
    """

    size: int
    keys: Keys
    texts: IntArray

    @classmethod
    def nothing(cls) -> Self:
        """Of no texts."""
        return cls(0, np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64))

    def changed(self, added: Sequence[Keys], removed: Sequence[Keys], texts: int) -> Self:
        """Return the spread after texts came and went.

        Args:
            added: terms of the texts that came, each as often as texts have it.
            removed: terms of the texts that went, each as often as texts have it.
            texts: how many more texts there are now.
        """
        none = np.zeros(0, dtype=np.uint32)
        more, less = np.concatenate([*added, none]), np.concatenate([*removed, none])
        all_keys = np.concatenate([self.keys, more, less])
        steps = np.concatenate([self.texts, np.ones(len(more), np.int64), -np.ones(len(less), np.int64)])
        keys, places = np.unique(all_keys, return_inverse=True)
        counts = np.bincount(places, weights=steps, minlength=len(keys)).astype(np.int64)
        kept = counts > 0
        return type(self)(self.size + texts, keys[kept].astype(np.uint32), counts[kept])

    def of(self, keys: Keys) -> IntArray:
        """Return the number of texts that have each of some terms: int64 (len(keys),)."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.texts[places], 0)

    def check(self) -> None:
        """Raise ValueError unless the arrays are such as texts give."""
        require(len(self.keys) == len(self.texts), "each term has one number of texts")
        require(ascending(self.keys, strictly=True), "terms ascend")
        require(not len(self.texts) or (self.texts.min() > 0 and self.texts.max() <= self.size), "terms are of texts")
