"""Similarity of a phrase to each of many documents by the words they share: Okapi BM25.

The weight of a word is ln(1 + (documents - n + 0.5) / (n + 0.5)), where n documents contain it, as in Lucene
(Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with Lucene's positive weights).
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import DoubleArray, FloatArray, IntArray, ascending, require, within
from embeddings.text.inverted_index import Hashes, InvertedIndex, Postings
from embeddings.text.words import runs, stems_of

SATURATION: Final = 1.2
"""BM25's k1. Between 0.6 and 2 first place differs by 0.4 points on the sets of `training/priors.json`."""

LENGTH_NORM: Final = 0.4
"""BM25's b. With 0.4, 0.75 and 1.0, the mean of first place over eleven sets of tools is 0.725, 0.720 and 0.719."""

_ROUNDING: Final = 1e-3
"""Allowed rounding error of a float32 number in `check`."""


class WordIndex(InvertedIndex):
    """An inverted index from stems of words to documents; a weight is what the stem adds to the document's score."""

    @classmethod
    def build(cls, documents: Sequence[str]) -> Self:
        """Index documents; one without words has the score 0 for every phrase."""
        counts = [Counter(hashed_stems(document)) for document in documents]
        postings = Postings.of(counts)
        found = rarity(len(documents), postings.spread)
        lengths = np.array([count.total() for count in counts], dtype=np.float64)
        norm = length_norm(lengths, float(lengths.mean()))
        weights = saturated(np.repeat(found, postings.spread), postings.times, norm[postings.rows])
        return cls(
            size=len(documents),
            keys=postings.keys,
            starts=postings.starts,
            rows=postings.small_rows(len(documents)),
            weights=weights.astype(np.float32),
            rarity=found.astype(np.float32),
        )

    def check(self, documents: int) -> None:
        """Raise ValueError unless the arrays, of known types, could come from `build` with this number of documents."""
        require(self.size == documents, "there is one document of words for each label")
        require(
            len(self.starts) == len(self.keys) + 1 == len(self.rarity) + 1, "each word has one start and one rarity"
        )
        require(ascending(self.keys, strictly=True), "words are in ascending order")
        require(self.starts[0] == 0 and ascending(self.starts, strictly=False), "the words' starts do not descend")
        require(len(self.rows) == len(self.weights) == self.starts[-1], "the last of the words' starts is their number")
        require(within(self.rows, 0, documents - 1), "the words' rows are indexes of labels")
        most = _rarest(documents) + _ROUNDING
        require(within(self.rarity, 0, most), "the words' rarity is an inverse document frequency")
        require(within(self.weights, 0, most * (SATURATION + 1)), "the words' weights are parts of a BM25 score")

    def scores(self, text: str) -> tuple[FloatArray, float]:
        """Score every document for a phrase.

        Returns:
            float32 (size,), BM25 scores; and the sum of the weights of the phrase's words, in which a word that no
            document contains has the largest possible weight. 0 of 0 if the phrase has no words.
        """
        wanted = np.array(sorted(set(hashed_stems(text))), dtype=np.uint32)
        if not len(wanted) or not len(self.keys):
            return np.zeros(self.size, dtype=np.float32), _rarest(self.size) * len(wanted)
        places, known = self.find(wanted)
        found = places[known]
        return self.add_up(found, np.ones(len(found), dtype=np.float32)), self.weight_of(wanted, found)

    def weight_of(self, hashes: Hashes, found: IntArray) -> float:
        """Return the weights of words together, those that documents contain at the places `found`."""
        return float(self.rarity[found].sum()) + _rarest(self.size) * (len(hashes) - len(found))


def rarity(documents: int, spread: IntArray) -> DoubleArray:
    """Inverse document frequency of words that so many of the documents contain."""
    found: DoubleArray = np.log1p((documents - spread + 0.5) / (spread + 0.5))
    return found


def length_norm(lengths: DoubleArray, mean: float) -> DoubleArray:
    """Return how much the length of documents takes from the weight of a word in them.

    `mean` is that of all documents.
    """
    return SATURATION * (1 - LENGTH_NORM + LENGTH_NORM * lengths / max(mean, 1.0))


def saturated(rarities: DoubleArray, often: npt.NDArray[np.integer[Any]], norm: DoubleArray) -> DoubleArray:
    """Return how much a word adds to the score of a document that has it so often."""
    found: DoubleArray = rarities * often * (SATURATION + 1) / (often + norm)
    return found


def hashed_stems(text: str) -> list[int]:
    """Return the stems of a text as 32-bit hashes, in order."""
    return [hashed for word in runs(text) for hashed in _hashed(word)]


@lru_cache(maxsize=4096)
def _hashed(word: str) -> tuple[int, ...]:
    """Hash the stems of a word; kept, because most words of a message are in others, too."""
    return tuple(zlib.crc32(stem.encode()) for stem in stems_of([word]))


def _rarest(documents: int) -> float:
    """Weight of a word that no document contains."""
    return float(np.log1p((documents + 0.5) / 0.5))
