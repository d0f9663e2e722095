"""How alike a phrase is to each of many texts by their letters: cosine over weighted character n-grams.

Repairs what embeddings miss, such as misspelt words and rare product terms. The weight of an n-gram is its inverse
document frequency, ln((1 + texts) / (1 + texts with it)) + 1, as in scikit-learn's `TfidfTransformer`.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.text import words

FloatArray = npt.NDArray[np.float32]

GRAM_LENGTH: Final = 3
LONGEST_COMPARED: Final = 400
"""Characters of a phrase that count here; more is prose, which the embedding reads better."""


def grams(text: str) -> Counter[int]:
    """The character n-grams of each word, edges marked, as 32-bit hashes with their counts."""
    found: Counter[int] = Counter()
    for word in words(text[:LONGEST_COMPARED]):
        marked = f"^{word}$"
        for start in range(len(marked) - GRAM_LENGTH + 1):
            found[zlib.crc32(marked[start : start + GRAM_LENGTH].encode())] += 1
    return found


@dataclass(frozen=True)
class LexicalIndex:
    """An inverted index from n-grams to texts.

    Attributes:
        size: number of texts.
        keys: uint32 (g,), hashes of the n-grams, ascending.
        starts: int64 (g + 1,), where each n-gram's postings begin.
        rows: unsigned (p,), texts that have the n-gram.
        weights: float32 (p,), the n-gram's share in the text's unit vector.
        rarity: float32 (g,), inverse document frequency.
    """

    size: int
    keys: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.unsignedinteger[Any]]
    weights: FloatArray
    rarity: FloatArray

    @classmethod
    def build(cls, texts: Sequence[str]) -> Self:
        """Index texts; one without letters or digits is like nothing."""
        counts = [grams(text) for text in texts]
        triples = [(key, row, count) for row, found in enumerate(counts) for key, count in found.items()]
        table = np.array(sorted(triples), dtype=np.int64).reshape(-1, 3)
        keys, first, spread = np.unique(table[:, 0], return_index=True, return_counts=True)
        rarity = (np.log((1 + len(texts)) / (1 + spread)) + 1).astype(np.float32)
        rows = table[:, 1]
        weights = table[:, 2] * np.repeat(rarity, spread)
        lengths = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(texts)))
        return cls(
            size=len(texts),
            keys=keys.astype(np.uint32),
            starts=np.append(first, len(table)).astype(np.int64),
            rows=rows.astype(np.min_scalar_type(len(texts))),
            weights=(weights / lengths[rows]).astype(np.float32),
            rarity=rarity,
        )

    def is_whole(self) -> bool:
        """Whether the arrays fit together, as they do unless somebody changed them."""
        ordered = bool((np.diff(self.keys.astype(np.int64)) > 0).all() and (np.diff(self.starts) >= 0).all())
        return (
            ordered
            and self.keys.shape == self.rarity.shape == (len(self.starts) - 1,)
            and self.rows.shape == self.weights.shape == (int(self.starts[-1]),)
            and bool((self.rows < self.size).all() and self.starts[0] == 0)
            and bool(np.isfinite(self.weights).all() and np.isfinite(self.rarity).all())
        )

    def similarities(self, text: str) -> FloatArray:
        """Cosine of a phrase to every text: float32 (size,) in [0, 1]; zeros for a phrase without letters."""
        found = grams(text)
        if not found or not len(self.keys):
            return np.zeros(self.size, dtype=np.float32)
        wanted = np.fromiter(found.keys(), dtype=np.uint32, count=len(found))
        counts = np.fromiter(found.values(), dtype=np.float32, count=len(found))
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = self.keys[place] == wanted
        # An n-gram of no text still makes the phrase longer, as rare as one can be.
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
        """The index as named arrays, to be stored."""
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
        """The index that `arrays` described."""
        return cls(
            size=int(arrays["size"][0]),
            keys=arrays["keys"],
            starts=arrays["starts"],
            rows=arrays["rows"],
            weights=arrays["weights"],
            rarity=arrays["rarity"],
        )
