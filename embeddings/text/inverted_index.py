"""An inverted index: from hashed terms to the texts that contain them, with a weight for each pair."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import BoolArray, FloatArray, IntArray

FREQUENT: Final = 8
"""A term is frequent if one in so many texts contains it; adding its weights in all texts is then faster."""

FREQUENT_BYTES: Final = 1 << 20
"""Maximum memory of the weights in all texts of frequent terms."""

TABLE_NUMBERS: Final = 1 << 16
"""Maximum numbers of an index that is a table of all terms and texts."""

Rows = npt.NDArray[np.unsignedinteger[Any]]
Hashes = npt.NDArray[np.uint32]


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
        """Return the rows in the smallest type that holds the number of texts."""
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
        places = self.keys.searchsorted(hashes)
        np.minimum(places, len(self.keys) - 1, out=places)
        return places, self.keys[places] == hashes

    def add_up(self, places: IntArray, factors: FloatArray) -> FloatArray:
        """Add up the weights of terms in each text, each times its factor: float32 (size,)."""
        if self._table is not None:
            return factors @ self._table[places]
        total = np.zeros(self.size, dtype=np.float32)
        product = np.empty_like(total)
        spans: list[slice] = []
        shares: list[float] = []
        begins, ends = self.starts[places].tolist(), self.starts[places + 1].tolist()
        for place, factor, begin, end in zip(places.tolist(), factors.tolist(), begins, ends, strict=True):
            if (everywhere := self._frequent.get(place)) is None:
                spans.append(slice(begin, end))
                shares.append(factor)
            else:
                np.multiply(everywhere, factor, out=product)
                total += product
        if spans:
            weights = np.concatenate([self.weights[span] for span in spans])
            weights *= np.repeat(np.array(shares, np.float32), [span.stop - span.start for span in spans])
            rows = np.concatenate([self.rows[span] for span in spans])
            total += np.bincount(rows, weights=weights, minlength=self.size)
        return total

    @cached_property
    def _table(self) -> FloatArray | None:
        """The weights of all terms in every text, float32 (g, size), of an index that is small."""
        if len(self.keys) * self.size > TABLE_NUMBERS:
            return None
        table = np.zeros((len(self.keys), self.size), dtype=np.float32)
        table[np.repeat(np.arange(len(self.keys)), np.diff(self.starts)), self.rows] = self.weights
        return table

    def frequent(self, width: int) -> list[int]:
        """List the frequent terms' places, most texts first, whose weights in every text are kept in so many bytes."""
        spread = np.diff(self.starts)
        places = np.argsort(-spread, kind="stable")[: FREQUENT_BYTES // (width * max(self.size, 1))]
        found: list[int] = places[spread[places] * FREQUENT >= self.size].tolist()
        return found

    @cached_property
    def _frequent(self) -> dict[int, FloatArray]:
        """The weights in every text of the terms that most texts contain: each float32 (size,)."""
        kept: dict[int, FloatArray] = {}
        for place in self.frequent(4):
            span = slice(self.starts[place], self.starts[place + 1])
            kept[place] = np.zeros(self.size, dtype=np.float32)
            kept[place][self.rows[span]] = self.weights[span]
        return kept

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the index as named arrays for storage."""
        size = np.array([self.size], dtype=np.int64)
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"size": size}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore an index from what `arrays` returned."""
        size, *others = (field.name for field in fields(cls))
        return cls(int(arrays[size].item()), *(arrays[name] for name in others))
