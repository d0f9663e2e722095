"""Similarity of a phrase to each of many texts by spelling: cosine over weighted character n-grams.

It finds matches that embeddings miss, such as misspelt words and rare product terms. The weight of an n-gram is its
inverse document frequency, ln((1 + texts) / (1 + texts that contain it)) + 1, as in scikit-learn's `TfidfTransformer`.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray, IntArray
from embeddings.checks import ascending, require, within
from embeddings.text.normalization import words

GRAM_LENGTH: Final = 3
LONGEST_COMPARED: Final = 400
"""Characters of a phrase that are compared; a longer text is prose, which the embedding represents better."""

_ROUNDING: Final = 1e-3
"""Allowed rounding error of a float32 number in `check`; the actual error is 1e-6."""


def grams(text: str) -> Counter[int]:
    """Count the character n-grams of each word, with its start and end marked, as 32-bit hashes."""
    found: Counter[int] = Counter()
    for word in words(text[:LONGEST_COMPARED]):
        found.update(_word_grams(word))
    return found


@lru_cache(maxsize=4096)
def _word_grams(word: str) -> tuple[int, ...]:
    """List the n-grams of a word; kept, because a message and its clauses have the same words."""
    marked = f"^{word}$"
    return tuple(
        zlib.crc32(marked[start : start + GRAM_LENGTH].encode()) for start in range(len(marked) - GRAM_LENGTH + 1)
    )


@dataclass(frozen=True)
class NgramIndex:
    """An inverted index from n-grams to texts.

    Attributes:
        size: number of texts.
        keys: uint32 (g,), hashes of the n-grams, ascending.
        starts: int64 (g + 1,), start of each n-gram's postings, and the end of the last.
        rows: unsigned (p,), the texts that contain the n-gram.
        weights: float32 (p,), the n-gram's component in the text's unit vector.
        rarity: float32 (g,), inverse document frequency.
    """

    size: int
    keys: npt.NDArray[np.uint32]
    starts: IntArray
    rows: npt.NDArray[np.unsignedinteger[Any]]
    weights: FloatArray
    rarity: FloatArray

    @classmethod
    def build(cls, texts: Sequence[str]) -> Self:
        """Index texts; a text without letters or digits has similarity 0 to every phrase."""
        counts = [grams(text) for text in texts]
        found = np.fromiter(chain.from_iterable(counts), dtype=np.int64)
        times = np.fromiter(chain.from_iterable(count.values() for count in counts), dtype=np.int64)
        sizes = np.fromiter(map(len, counts), dtype=np.int64)
        order = np.argsort(found, kind="stable")  # Keeps the texts of an n-gram in order.
        keys, first, spread = np.unique(found[order], return_index=True, return_counts=True)
        rarity = (np.log((1 + len(texts)) / (1 + spread)) + 1).astype(np.float32)
        rows = np.repeat(np.arange(len(texts)), sizes)[order]
        weights = times[order] * np.repeat(rarity, spread)
        lengths = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(texts)))
        return cls(
            size=len(texts),
            keys=keys.astype(np.uint32),
            starts=np.append(first, len(found)).astype(np.int64),
            rows=rows.astype(np.min_scalar_type(len(texts))),
            weights=(weights / lengths[rows]).astype(np.float32),
            rarity=rarity,
        )

    def check(self, texts: int) -> None:
        """Raise ValueError unless the arrays, of known types, could come from `build` with this number of texts."""
        require(self.size == texts, "there is one lexical row for each phrase")
        grams_, starts = len(self.keys), self.starts
        require(len(starts) == grams_ + 1 == len(self.rarity) + 1, "each n-gram has one start and one rarity")
        require(ascending(self.keys, strictly=True), "n-grams are in ascending order")
        require(
            starts[0] == 0 and ascending(starts, strictly=False), "the n-grams' starts begin at 0 and do not descend"
        )
        require(
            len(self.rows) == len(self.weights) == starts[-1],
            "the last of the n-grams' starts is the number of rows and of weights",
        )
        require(within(self.rows, 0, texts - 1), "lexical rows are indexes of phrases")
        require(within(self.weights, 0, 1 + _ROUNDING), "lexical weights are components of a unit vector, in [0, 1]")
        # If every rarity were 0, a phrase's vector would have length 0, and dividing by it would fail.
        require(
            within(self.rarity, 1 - _ROUNDING, np.log(1 + texts) + 1),
            "rarity is an inverse document frequency, at least 1",
        )

    def similarities(self, text: str) -> FloatArray:
        """Compute the cosine of a phrase to every text: float32 (size,) in [0, 1]; 0 if it has no letters or digits."""
        found = grams(text)
        if not found or not len(self.keys):
            return np.zeros(self.size, dtype=np.float32)
        wanted = np.fromiter(found.keys(), dtype=np.uint32, count=len(found))
        counts = np.fromiter(found.values(), dtype=np.float32, count=len(found))
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = self.keys[place] == wanted
        # An n-gram that no text contains still adds to the phrase's length, with the largest possible rarity.
        weight = counts * np.where(known, self.rarity[place], np.float32(np.log(1 + self.size) + 1))
        length = np.sqrt((weight**2).sum())
        spans = [slice(self.starts[gram], self.starts[gram + 1]) for gram in place[known]]
        if not spans:
            return np.zeros(self.size, dtype=np.float32)
        shares = np.repeat(weight[known] / length, [span.stop - span.start for span in spans])
        products = shares * np.concatenate([self.weights[span] for span in spans])
        rows = np.concatenate([self.rows[span] for span in spans])
        return np.bincount(rows, weights=products, minlength=self.size).astype(np.float32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the index as named arrays for storage."""
        return {
            "keys": self.keys,
            "starts": self.starts,
            "rows": self.rows,
            "weights": self.weights,
            "rarity": self.rarity,
            "size": np.array([self.size], dtype=np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore an index from what `arrays` returned."""
        return cls(
            size=int(arrays["size"].item()),
            keys=arrays["keys"],
            starts=arrays["starts"],
            rows=arrays["rows"],
            weights=arrays["weights"],
            rarity=arrays["rarity"],
        )
