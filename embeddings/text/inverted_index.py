"""An inverted index: from hashed terms to the texts that contain them, with a weight for each pair."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import BoolArray, FloatArray, IntArray

Rows = npt.NDArray[np.unsignedinteger[Any]]


class Postings(NamedTuple):
    """The texts of each term, term by term.

    Attributes:
        keys: uint32 (g,), hashes of the terms, ascending.
        starts: int64 (g + 1,), start of each term's postings, and the end of the last.
        rows: int64 (p,), the texts that contain the term, ascending for each term.
        times: int64 (p,), how often the text contains it.
        spread: int64 (g,), number of texts that contain the term.
    """

    keys: npt.NDArray[np.uint32]
    starts: IntArray
    rows: IntArray
    times: IntArray
    spread: IntArray

    @classmethod
    def of(cls, counts: Sequence[Counter[int]]) -> Self:
        """Arrange the counted terms of each text."""
        found = np.fromiter(chain.from_iterable(counts), dtype=np.int64)
        times = np.fromiter(chain.from_iterable(count.values() for count in counts), dtype=np.int64)
        sizes = np.fromiter(map(len, counts), dtype=np.int64)
        order = np.argsort(found, kind="stable")  # Keeps the texts of a term in order.
        keys, first, spread = np.unique(found[order], return_index=True, return_counts=True)
        return cls(
            keys=keys.astype(np.uint32),
            starts=np.append(first, len(found)).astype(np.int64),
            rows=np.repeat(np.arange(len(counts)), sizes)[order],
            times=times[order],
            spread=spread,
        )

    def small_rows(self, texts: int) -> Rows:
        """The rows in the smallest type that holds the number of texts."""
        return self.rows.astype(np.min_scalar_type(texts))


@dataclass(frozen=True)
class InvertedIndex:
    """An inverted index.

    Attributes:
        size: number of texts.
        keys: uint32 (g,), hashes of the terms, ascending.
        starts: int64 (g + 1,), start of each term's postings, and the end of the last.
        rows: unsigned (p,), the texts that contain the term.
        weights: float32 (p,), the term's weight in the text.
        rarity: float32 (g,), inverse document frequency.
    """

    size: int
    keys: npt.NDArray[np.uint32]
    starts: IntArray
    rows: Rows
    weights: FloatArray
    rarity: FloatArray

    def find(self, hashes: npt.NDArray[np.uint32]) -> tuple[IntArray, BoolArray]:
        """Look terms up in an index that has some: the place of each among `keys`, and whether it is that term."""
        places = np.minimum(np.searchsorted(self.keys, hashes), len(self.keys) - 1)
        return places, self.keys[places] == hashes

    def add_up(self, places: IntArray, factors: FloatArray) -> FloatArray:
        """Add up the weights of terms in each text, each times its factor: float32 (size,)."""
        spans = [slice(self.starts[place], self.starts[place + 1]) for place in places]
        if not spans:
            return np.zeros(self.size, dtype=np.float32)
        shares = np.repeat(factors, [span.stop - span.start for span in spans])
        products = shares * np.concatenate([self.weights[span] for span in spans])
        rows = np.concatenate([self.rows[span] for span in spans])
        return np.bincount(rows, weights=products, minlength=self.size).astype(np.float32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the index as named arrays for storage."""
        size = np.array([self.size], dtype=np.int64)
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"size": size}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore an index from what `arrays` returned."""
        size, *others = (field.name for field in fields(cls))
        return cls(int(arrays[size].item()), *(arrays[name] for name in others))
