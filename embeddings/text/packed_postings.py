"""The postings of an index arranged for queries: each weight beside its text, and what a word adds found only once."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray, IntArray
from embeddings.text.inverted_index import Hashes, InvertedIndex
from embeddings.text.language import ENGLISH

MAX_TEXTS: Final = 1 << 16
"""Maximum texts of an index that is packed: a text's place has two bytes."""

MIN_TEXTS: Final = 1 << 12
"""Minimum texts of an index that is packed; a smaller one fits into the processor's cache as it is."""

MAX_WORDS: Final = 2048
"""Maximum words of which is kept what they add."""

MAX_COMMON: Final = 64
"""Common words of English whose terms are added up once for all, each of which takes two bytes a text. The words of
`ENGLISH` have half of the weights that the terms of a query have in texts."""

_STEPS: Final = 65_535
"""Steps from 0 to the largest weight. Rounding to these moves a similarity by 4e-5 at most, and the coarse steps by
3e-4, over the 18,647 phrases of the shipped catalog and the 292 queries of `benchmarks/dev.jsonl`."""

_COARSE: Final = 16
"""Steps that are one coarse step, so that the weights of several terms can be added up in two bytes."""

_MAX_COARSE: Final = 65_535
"""Coarse steps that two bytes hold."""

Numbers = npt.NDArray[np.uint16]


class WordTerms(NamedTuple):
    """The terms of a word, as often as it has them.

    Attributes:
        hashes: uint32 (k,).
        rarity: float32 (k,).
        places: int64 (m,), in the index, of those that texts contain.
    """

    hashes: Hashes
    rarity: FloatArray
    places: IntArray


class _Everywhere(NamedTuple):
    """Amounts that a frequent term or common word adds to every text, in coarse steps, and the largest."""

    weights: Numbers
    most: int

    @classmethod
    def of(cls, weights: FloatArray) -> Self | None:
        """Round weights, float32 (size,) in steps; None if two bytes do not hold them."""
        coarse = np.rint(weights * np.float32(1 / _COARSE))
        most = int(coarse.max(initial=0))
        return cls(coarse.astype(np.uint16), most) if most <= _MAX_COARSE else None


class _Word(NamedTuple):
    """The amounts that a word adds to texts.

    Attributes:
        terms: its terms.
        everywhere: what its frequent terms add.
        pairs: of each other term, its texts, each followed by the weight there in steps.
    """

    terms: WordTerms
    everywhere: list[_Everywhere]
    pairs: list[Numbers]


class PackedPostings:
    """Weights of terms in texts, each times the rarity of its term. Safe to share between threads."""

    def __init__(self, index: InvertedIndex, terms_of: Callable[[str], WordTerms]) -> None:
        """Pack an index.

        Args:
            index: of at most `MAX_TEXTS` texts, whose weights are 0 or more.
            terms_of: finds the terms of a word; rarity is at least 1.
        """
        weights = index.weights * np.repeat(index.rarity, np.diff(index.starts))
        self._size, self._terms_of = index.size, terms_of
        self._step = (float(weights.max(initial=0)) or 1.0) / _STEPS
        weights *= np.float32(1 / self._step)
        pairs = np.empty((len(weights), 2), dtype=np.uint16)
        pairs[:, 0] = index.rows
        pairs[:, 1] = np.rint(weights, out=weights)
        self._pairs, self._starts = pairs.reshape(-1), 2 * index.starts
        self._frequent = {place: kept for place in index.frequent(2) if (kept := self._everywhere([place]))}
        self._common: dict[str, _Everywhere] = {}
        self._words: dict[str, _Word] = {}

    def similarities(self, words: Sequence[str]) -> FloatArray:
        """Compute the cosine of a phrase of these words to every text: float32 (size,)."""
        if not (found := [self._words.get(word) or self._read(word) for word in words]):
            return np.zeros(self._size, dtype=np.float32)
        total = self._sum(
            (each for word in found for each in word.everywhere), [p for word in found for p in word.pairs]
        )
        total *= np.float32(self._step / _length(found))
        return total

    def _read(self, word: str) -> _Word:
        if len(self._words) >= MAX_WORDS:
            self._words.clear()
        terms = self._terms_of(word)
        if common := self._common.get(word) or self._keep(word, terms):
            return self._words.setdefault(word, _Word(terms, [common], []))
        places = terms.places.tolist()
        everywhere = [self._frequent[place] for place in places if place in self._frequent]
        pairs = [self._pairs_of(place) for place in places if place not in self._frequent]
        return self._words.setdefault(word, _Word(terms, everywhere, pairs))

    def _keep(self, word: str, terms: WordTerms) -> _Everywhere | None:
        """Keep what a word adds if it is common in English and few others are kept."""
        if word not in ENGLISH or len(self._common) >= MAX_COMMON:
            return None
        if found := self._everywhere(terms.places.tolist()):
            self._common[word] = found
        return found

    def _everywhere(self, places: Iterable[int]) -> _Everywhere | None:
        """Add up the amounts that terms add to every text."""
        return _Everywhere.of(self._sum((), [self._pairs_of(place) for place in places]))

    def _pairs_of(self, place: int) -> Numbers:
        return self._pairs[self._starts[place] : self._starts[place + 1]]

    def _sum(self, everywhere: Iterable[_Everywhere], pairs: Sequence[Numbers]) -> FloatArray:
        """Add up weights for each text: float32 (size,), in steps."""
        coarse, most = np.zeros(self._size, dtype=np.uint16), 0
        full = None
        for weights, largest in everywhere:
            if (most := most + largest) > _MAX_COARSE:
                full, coarse, most = _added(full, coarse), np.zeros(self._size, dtype=np.uint16), largest
            coarse += weights
        total = _added(full, coarse)
        if pairs:
            joined = np.concatenate(pairs)
            # Adding numbers of another type takes twice as long as rounding them first.
            total += np.bincount(joined[::2], weights=joined[1::2], minlength=self._size).astype(np.float32)
        return total


def _added(total: FloatArray | None, coarse: Numbers) -> FloatArray:
    """Add coarse steps to a total of steps."""
    steps: FloatArray = np.multiply(coarse, np.float32(_COARSE), dtype=np.float32)
    return steps if total is None else total + steps


def _length(words: Sequence[_Word]) -> float:
    """Return the length of the vector of words, above 0; terms that no text contains count."""
    hashes = np.concatenate([word.terms.hashes for word in words])
    rarity = np.concatenate([word.terms.rarity for word in words])
    order = hashes.argsort()
    hashes = hashes[order]
    starts = np.flatnonzero(hashes[1:] != hashes[:-1])
    weights = np.add.reduceat(rarity[order], np.concatenate([[0], starts + 1]))
    return math.sqrt(weights @ weights)
