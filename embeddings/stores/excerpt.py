"""Some labels of a stored catalog, arranged so that they are ranked as if all of it were there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.index.fitted_index import FittedIndex, KernelRidge
from embeddings.index.vector_product import Blocks
from embeddings.labels.corpus import Corpus, Spans, Whole, name_index
from embeddings.labels.label import Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel
from embeddings.stores.terms import Spread, Terms
from embeddings.text import char_ngrams, word_index
from embeddings.text.char_ngrams import NgramIndex
from embeddings.text.inverted_index import Hashes
from embeddings.text.normalization import fold
from embeddings.text.word_index import WordIndex


class _Arranged(NamedTuple):
    """The terms of several records, term by term; see `Postings`."""

    size: int
    keys: Hashes
    starts: IntArray
    rows: IntArray
    times: IntArray

    @classmethod
    def of(cls, terms: Sequence[Terms], texts: Sequence[int]) -> Self:
        """Arrange terms, of which each is of so many texts."""
        firsts = np.cumsum([0, *texts])
        keys = np.concatenate([each.keys for each in terms])
        rows = np.concatenate([first + each.texts.astype(np.int64) for first, each in zip(firsts, terms, strict=False)])
        # Sorted together with their places, which is several times as fast as a stable argsort.
        placed = np.sort(keys.astype(np.uint64) << np.uint64(32) | np.arange(len(keys), dtype=np.uint64))
        order = (placed & np.uint64(0xFFFFFFFF)).astype(np.int64)
        keys = (placed >> np.uint64(32)).astype(np.uint32)
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.zeros(0, dtype=np.int64)
        starts = np.append(first, len(keys)).astype(np.int64)
        times = np.concatenate([each.times for each in terms]).astype(np.int64)
        return cls(int(firsts[-1]), keys[first], starts, rows[order], times[order])

    @property
    def small_rows(self) -> np.ndarray[tuple[int], np.dtype[np.unsignedinteger]]:
        return self.rows.astype(np.min_scalar_type(self.size))


@dataclass(frozen=True)
class NgramExcerpt(NgramIndex):
    """The n-grams of some texts of a catalog.

    Attributes:
        whole: in how many texts of the catalog each n-gram is.
    """

    whole: Spread

    @classmethod
    def of(cls, terms: Sequence[Terms], texts: Sequence[int], whole: Spread) -> Self:
        """Index the n-grams of several records, of which each has so many texts."""
        found = _Arranged.of(terms, texts)
        rarity = char_ngrams.rarity(whole.size, whole.of(found.keys))
        times = found.times.astype(np.min_scalar_type(int(found.times.max(initial=0))))
        weights = char_ngrams.components(found.size, found.starts, found.small_rows, times, rarity)
        return cls(found.size, found.keys, found.starts, found.small_rows, weights, rarity, times, whole)

    def rarity_of(self, hashes: Hashes, places: IntArray, known: BoolArray) -> FloatArray:
        """Rarity of n-grams in the whole catalog."""
        del places, known
        return char_ngrams.rarity(self.whole.size, self.whole.of(hashes))


@dataclass(frozen=True)
class WordExcerpt(WordIndex):
    """The words of some labels of a catalog.

    Attributes:
        whole: in how many labels of the catalog each word is.
    """

    whole: Spread

    @classmethod
    def of(cls, terms: Sequence[Terms], whole: Spread, length: int) -> Self:
        """Index the words of several records.

        Args:
            terms: the stems of each label.
            whole: in how many labels each stem is.
            length: number of stems of all labels of the catalog together.
        """
        found = _Arranged.of(terms, [1] * len(terms))
        rarity = word_index.rarity(whole.size, whole.of(found.keys))
        lengths = np.bincount(found.rows, weights=found.times, minlength=found.size).astype(np.float64)
        norm = word_index.length_norm(lengths, length / max(whole.size, 1))
        weights = word_index.saturated(np.repeat(rarity, np.diff(found.starts)), found.times, norm[found.rows])
        return cls(
            found.size,
            found.keys,
            found.starts,
            found.small_rows,
            weights.astype(np.float32),
            rarity.astype(np.float32),
            whole,
        )

    def weight_of(self, hashes: Hashes, found: IntArray) -> float:
        """Return the weights of words in the whole catalog together."""
        del found
        return float(word_index.rarity(self.whole.size, self.whole.of(hashes)).sum())


def whole_of(manifest: Manifest) -> Whole:
    """Return the facts of a catalog that its excerpts need."""
    return Whole(manifest.statistics.labels, frozenset(map(fold, own_outside(manifest))), manifest.english)


def own_outside(manifest: Manifest) -> tuple[str, ...]:
    """Return the catalog's own out-of-scope phrases, without the background."""
    phrases = manifest.outside.phrases if manifest.outside else ()
    return tuple(text for text, kind in phrases if kind != "background")


def excerpt(records: Sequence[StoredLabel], manifest: Manifest, whole: Whole) -> FittedIndex:
    """Arrange labels, at least one. The ranking head is left out: it is fitted to phrases that are not here.

    Args:
        records: the labels.
        manifest: of the catalog.
        whole: what `whole_of` says of it.
    """
    none = len(records)
    parts = [*records, *([manifest.outside] if manifest.outside else [])]
    sizes = [len(part.phrases) for part in parts]
    statistics = manifest.statistics
    book = PhraseBook.of_checked(tuple(record.label for record in records), own_outside(manifest))
    corpus = Corpus(
        book=book,
        phrases=tuple(Phrase(text, kind, label) for label, part in enumerate(parts) for text, kind in part.phrases),
        spans=Spans.of(np.repeat(np.arange(len(parts)), sizes), none),
        lexical=NgramExcerpt.of([part.grams for part in parts], sizes, statistics.grams),
        words=WordExcerpt.of([record.stems for record in records], statistics.stems, statistics.length),
        names=name_index(book),
        whole=whole,
    )
    return FittedIndex(
        corpus=corpus,
        whitening=manifest.whitening,
        blocks=Blocks.joined([part.blocks for part in parts]),
        head=KernelRidge(np.zeros(1, dtype=np.int64), np.zeros((1, none + 1), dtype=np.float32)),
        weights=manifest.weights,
        lexical_weights=np.zeros_like(manifest.weights),
        model=manifest.model,
        approximate=manifest.approximate,
    )
