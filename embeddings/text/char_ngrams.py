"""Similarity of a phrase to each of many texts by spelling: cosine over weighted character n-grams.

It finds matches that embeddings miss, such as misspelt words and rare product terms. The weight of an n-gram is its
inverse document frequency, ln((1 + texts) / (1 + texts that contain it)) + 1, as in scikit-learn's `TfidfTransformer`.
"""

import math
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import BoolArray, FloatArray, IntArray, ascending, require, within
from embeddings.text.inverted_index import Hashes, InvertedIndex, Postings, Rows
from embeddings.text.normalization import words
from embeddings.text.packed_postings import MAX_TEXTS, MIN_TEXTS, PackedPostings, WordTerms

GRAM_LENGTH: Final = 3
LONGEST_COMPARED: Final = 400
"""Characters of a phrase that are compared; a longer text is prose, which the embedding represents better."""

_ROUNDING: Final = 1e-3
"""Allowed rounding error of a float32 number in `check`; the actual error is 1e-6."""


def grams(text: str) -> Counter[int]:
    """Count the character n-grams of each word, with its start and end marked, as 32-bit hashes."""
    return Counter(chain.from_iterable(map(_word_grams, words(text[:LONGEST_COMPARED]))))


@lru_cache(maxsize=4096)
def _word_grams(word: str) -> tuple[int, ...]:
    """List the n-grams of a word; kept, because a message and its clauses have the same words."""
    marked = f"^{word}$"
    return tuple(
        zlib.crc32(marked[start : start + GRAM_LENGTH].encode()) for start in range(len(marked) - GRAM_LENGTH + 1)
    )


@dataclass(frozen=True)
class NgramIndex(InvertedIndex):
    """An inverted index from n-grams to texts; a weight is the n-gram's component in the text's unit vector.

    Attributes:
        times: unsigned (p,), how often the text contains the n-gram, from which `weights` follow.
    """

    times: Rows

    @classmethod
    def build(cls, texts: Sequence[str]) -> Self:
        """Index texts; a text without letters or digits has similarity 0 to every phrase."""
        postings = Postings.of([grams(text) for text in texts])
        found, rows = rarity(len(texts), postings.spread), postings.small_rows(len(texts))
        times = postings.times.astype(np.min_scalar_type(int(postings.times.max(initial=0))))
        weights = components(len(texts), postings.starts, rows, times, found)
        return cls(len(texts), postings.keys, postings.starts, rows, weights, found, times)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the index as named arrays for storage; the weights follow from the others, and take most room."""
        return {name: array for name, array in super().arrays().items() if name != "weights"}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore an index from what `arrays` returned.

        Raises:
            ValueError: the arrays do not fit together.
        """
        size, starts, rows, times = int(arrays["size"].item()), arrays["starts"], arrays["rows"], arrays["times"]
        _check_postings(size, starts, rows, times, arrays["rarity"])
        weights = components(size, starts, rows, times, arrays["rarity"])
        return cls(size, arrays["keys"], starts, rows, weights, arrays["rarity"], times)

    def check(self, texts: int) -> None:
        """Raise ValueError unless the arrays, of known types, could come from `build` with this number of texts."""
        require(self.size == texts, "there is one lexical row for each phrase")
        require(len(self.keys) == len(self.rarity), "each n-gram has one start and one rarity")
        require(ascending(self.keys, strictly=True), "n-grams are in ascending order")
        _check_postings(texts, self.starts, self.rows, self.times, self.rarity)
        require(len(self.weights) == len(self.times), "there is one weight for each of the n-grams' rows")
        require(within(self.weights, 0, 1 + _ROUNDING), "lexical weights are components of a unit vector, in [0, 1]")

    def similarities(self, text: str) -> FloatArray:
        """Compute the cosine of a phrase to every text: float32 (size,) in [0, 1]; 0 if it has no letters or digits."""
        if self._packed is not None:
            return self._packed.similarities(words(text[:LONGEST_COMPARED]))
        found = grams(text)
        if not found or not len(self.keys):
            return np.zeros(self.size, dtype=np.float32)
        wanted = np.fromiter(found.keys(), dtype=np.uint32, count=len(found))
        counts = np.fromiter(found.values(), dtype=np.float32, count=len(found))
        place, known = self.find(wanted)
        weight = counts * self.rarity_of(wanted, place, known)
        length = np.float32(math.sqrt(weight @ weight))
        return self.add_up(place[known], weight[known] / length)

    @cached_property
    def _packed(self) -> PackedPostings | None:
        """The postings as they are added up, if there are neither few nor very many texts."""
        few_or_many = not MIN_TEXTS <= self.size < MAX_TEXTS
        return None if few_or_many or not len(self.keys) else PackedPostings(self, self._terms_of)

    def _terms_of(self, word: str) -> WordTerms:
        hashes = np.array(_word_grams(word), dtype=np.uint32)
        places, known = self.find(hashes)
        return WordTerms(hashes, self.rarity_of(hashes, places, known), places[known])

    def rarity_of(self, hashes: Hashes, places: IntArray, known: BoolArray) -> FloatArray:
        """Rarity of n-grams, whether texts contain them or not, from what `find` returned: float32 (len(hashes),)."""
        del hashes
        # An n-gram that no text contains still adds to the phrase's length, with the largest possible rarity.
        return np.where(known, self.rarity[places], np.float32(np.log(1 + self.size) + 1))


def _check_postings(size: int, starts: IntArray, rows: Rows, times: Rows, found: FloatArray) -> None:
    """Raise ValueError unless postings, of known types, fit together and weights can be computed from them."""
    require(len(starts) == len(found) + 1, "each n-gram has one start and one rarity")
    require(starts[0] == 0 and ascending(starts, strictly=False), "the n-grams' starts begin at 0 and do not descend")
    require(len(rows) == len(times) == starts[-1], "the last of the n-grams' starts is the number of rows and of times")
    require(within(rows, 0, size - 1), "lexical rows are indexes of phrases")
    require(within(times, 1, LONGEST_COMPARED), "a text contains each of its n-grams at least once")
    # If every rarity were 0, a phrase's vector would have length 0, and dividing by it would fail.
    require(within(found, 1 - _ROUNDING, np.log(1 + size) + 1), "rarity is an inverse document frequency, at least 1")


def components(size: int, starts: IntArray, rows: Rows, times: Rows, found: FloatArray) -> FloatArray:
    """Compute the components of each text's unit vector: float32 (p,)."""
    weights = times.astype(np.int64) * np.repeat(found, np.diff(starts))
    lengths = np.sqrt(np.bincount(rows, weights=weights**2, minlength=size))
    return np.asarray((weights / lengths[rows]).astype(np.float32))


def rarity(texts: int, spread: IntArray) -> FloatArray:
    """Inverse document frequency of n-grams that so many of the texts contain; float32."""
    return (np.log((1 + texts) / (1 + spread)) + 1).astype(np.float32)
