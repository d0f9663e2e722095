"""Similarity of a phrase to each of many documents by the words they share: Okapi BM25.

The weight of a word is ln(1 + (documents - n + 0.5) / (n + 0.5)), where n documents contain it, as in Lucene
(Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with Lucene's positive weights).
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray, IntArray
from embeddings.checks import ascending, require, within
from embeddings.text.words import stems

SATURATION: Final = 1.2
"""BM25's k1. Between 0.6 and 2 first place differs by 0.4 points on the sets of `training/priors.json`."""

LENGTH_NORM: Final = 0.4
"""BM25's b. With 0.4, 0.75 and 1.0, the mean of first place over eleven sets of tools is 0.725, 0.720 and 0.719."""

_ROUNDING: Final = 1e-3
"""Allowed rounding error of a float32 number in `check`."""


@dataclass(frozen=True)
class WordIndex:
    """An inverted index from words to documents.

    Attributes:
        size: number of documents.
        keys: uint32 (w,), hashes of the stems, ascending.
        starts: int64 (w + 1,), start of each stem's postings, and the end of the last.
        rows: unsigned (p,), the documents that contain the stem.
        weights: float32 (p,), what the stem adds to the document's score.
        rarity: float32 (w,), the stem's weight.
    """

    size: int
    keys: npt.NDArray[np.uint32]
    starts: IntArray
    rows: npt.NDArray[np.unsignedinteger[Any]]
    weights: FloatArray
    rarity: FloatArray

    @classmethod
    def build(cls, documents: Sequence[str]) -> Self:
        """Index documents; one without words has the score 0 for every phrase."""
        counts = [Counter(map(_hash, stems(document))) for document in documents]
        triples = [(key, row, count) for row, found in enumerate(counts) for key, count in found.items()]
        table = np.array(sorted(triples), dtype=np.int64).reshape(-1, 3)
        keys, first, spread = np.unique(table[:, 0], return_index=True, return_counts=True)
        rarity = np.log1p((len(documents) - spread + 0.5) / (spread + 0.5))
        lengths = np.array([found.total() for found in counts], dtype=np.float64)
        norm = SATURATION * (1 - LENGTH_NORM + LENGTH_NORM * lengths / max(float(lengths.mean()), 1.0))
        rows, often = table[:, 1], table[:, 2]
        weights = np.repeat(rarity, spread) * often * (SATURATION + 1) / (often + norm[rows])
        return cls(
            size=len(documents),
            keys=keys.astype(np.uint32),
            starts=np.append(first, len(table)).astype(np.int64),
            rows=rows.astype(np.min_scalar_type(len(documents))),
            weights=weights.astype(np.float32),
            rarity=rarity.astype(np.float32),
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
        wanted = np.array(sorted({_hash(stem) for stem in stems(text)}), dtype=np.uint32)
        if not len(wanted) or not len(self.keys):
            return np.zeros(self.size, dtype=np.float32), _rarest(self.size) * len(wanted)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = place[self.keys[place] == wanted]
        total = float(self.rarity[known].sum()) + _rarest(self.size) * (len(wanted) - len(known))
        spans = [slice(self.starts[word], self.starts[word + 1]) for word in known]
        if not spans:
            return np.zeros(self.size, dtype=np.float32), total
        rows = np.concatenate([self.rows[span] for span in spans])
        weights = np.concatenate([self.weights[span] for span in spans])
        return np.bincount(rows, weights=weights, minlength=self.size).astype(np.float32), total

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the index as named arrays for storage."""
        size = np.array([self.size], dtype=np.int64)
        return {name: getattr(self, name) for name in ("keys", "starts", "rows", "weights", "rarity")} | {"size": size}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore an index from what `arrays` returned."""
        names = ("keys", "starts", "rows", "weights", "rarity")
        return cls(int(arrays["size"].item()), *(arrays[name] for name in names))


def _hash(stem: str) -> int:
    return zlib.crc32(stem.encode())


def _rarest(documents: int) -> float:
    """Weight of a word that no document contains."""
    return float(np.log1p((documents + 0.5) / 0.5))
