"""The postings of an index with each weight beside its text, so that adding them up reads half as much memory."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.text.inverted_index import FREQUENT, FREQUENT_BYTES, InvertedIndex
from embeddings.text.message.function_words import ENGLISH

MOST_TEXTS: Final = 1 << 16
"""Most texts of an index that is packed: a text's place has two bytes."""

FEWEST_TEXTS: Final = 1 << 12
"""Fewest texts of an index that is packed; a smaller one fits into the processor's cache as it is."""

_STEPS: Final = 65_535
"""Steps from 0 to the largest weight. Rounding to these moves a similarity by 4e-5 at most, and that of common words by
3e-4, over the 18,647 phrases of the shipped catalog and the 292 queries of `benchmarks/dev.jsonl`."""

MOST_WORDS: Final = 64
"""Common words of English whose terms are added up once for all, each of which takes two bytes a text. The words of
`ENGLISH` have half of the weights that the terms of a query have in texts."""

_COARSE: Final = 16
"""Steps of a weight that are one step of a common word, so that several words can be added up in two bytes."""

_MOST_COARSE: Final = 65_535
"""Coarse steps that two bytes hold."""

Pairs = npt.NDArray[np.uint16]


class _Common(NamedTuple):
    """A common word: its weight in every text, uint16 (size,), in coarse steps, and the largest of these."""

    weights: Pairs
    largest: int


class PackedPostings:
    """Weights of terms in texts, each times the rarity of its term."""

    def __init__(self, pairs: Pairs, starts: IntArray, frequent: dict[int, FloatArray], size: int, step: float) -> None:
        """Use `of`."""
        self._pairs = pairs
        self._starts = starts
        self._frequent = frequent
        self._size = size
        self._step = step
        self._common: dict[str, _Common] = {}

    @classmethod
    def of(cls, index: InvertedIndex) -> Self:
        """Pack an index of at most `MOST_TEXTS` texts whose weights are 0 or more."""
        weights = index.weights * np.repeat(index.rarity, np.diff(index.starts))
        step = (float(weights.max(initial=0)) or 1.0) / _STEPS
        weights *= np.float32(1 / step)
        pairs = np.empty((len(weights), 2), dtype=np.uint16)
        pairs[:, 0] = index.rows
        pairs[:, 1] = np.rint(weights, out=weights)
        spread = np.diff(index.starts)
        most = FREQUENT_BYTES // (4 * index.size)
        frequent = np.argsort(-spread, kind="stable")[:most]
        frequent = frequent[spread[frequent] * FREQUENT >= index.size]
        return cls(
            pairs.reshape(-1),
            2 * index.starts,
            {
                place: _everywhere(pairs[slice(*index.starts[place : place + 2])], index.size)
                for place in frequent.tolist()
            },
            index.size,
            step,
        )

    def add_up(self, words: Sequence[str], terms_of: Callable[[Sequence[str]], IntArray]) -> FloatArray:
        """Add up, for each text, the weights of the terms of words: float32 (size,).

        Args:
            words: of a phrase, as often as it has them.
            terms_of: finds the places of the terms of words, as often as these have them.
        """
        total = np.zeros(self._size, dtype=np.float32)
        coarse, most = np.zeros(self._size, dtype=np.uint16), 0
        others = []
        for word in words:
            if (common := self._common.get(word) or self._keep(word, terms_of)) is None:
                others.append(word)
                continue
            if (most := most + common.largest) > _MOST_COARSE:
                total += coarse * np.float32(_COARSE)
                coarse[:], most = 0, common.largest
            coarse += common.weights
        if most:
            total += coarse * np.float32(_COARSE)
        if others and (apart := self._add(terms_of(others), total)):
            total += _added(apart, self._size)
        total *= np.float32(self._step)
        return total

    def _add(self, places: IntArray, total: FloatArray) -> list[Pairs]:
        """Add the weights of frequent terms to a total, and return the pairs of the others."""
        apart = []
        for place, begin, end in zip(
            places.tolist(), self._starts[places].tolist(), self._starts[places + 1].tolist(), strict=True
        ):
            if (everywhere := self._frequent.get(place)) is None:
                apart.append(self._pairs[begin:end])
            else:
                total += everywhere
        return apart

    def _keep(self, word: str, terms_of: Callable[[Sequence[str]], IntArray]) -> _Common | None:
        """Keep the weights of a word if it is frequent in English and few others are kept."""
        if word not in ENGLISH or len(self._common) >= MOST_WORDS:
            return None
        total = np.zeros(self._size, dtype=np.float32)
        if apart := self._add(terms_of([word]), total):
            total += _added(apart, self._size)
        total *= np.float32(1 / _COARSE)
        if (largest := round(float(total.max()))) > _MOST_COARSE:
            return None
        kept = _Common(np.rint(total, out=total).astype(np.uint16), largest)
        return self._common.setdefault(word, kept)


def _added(apart: list[Pairs], size: int) -> DoubleArray:
    """The weights of pairs added up for each text."""
    pairs = np.concatenate(apart)
    return np.asarray(np.bincount(pairs[::2], weights=pairs[1::2], minlength=size), dtype=np.float64)


def _everywhere(pairs: Pairs, size: int) -> FloatArray:
    """The weights of one term in every text, float32 (size,)."""
    found = np.zeros(size, dtype=np.float32)
    found[pairs[:, 0]] = pairs[:, 1]
    return found
