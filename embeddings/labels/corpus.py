"""The texts of a catalog arranged for comparison: sorted by label, out-of-scope texts last."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.labels.label import Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.char_ngrams import NgramIndex
from embeddings.text.names import NameIndex
from embeddings.text.word_index import WordIndex


class _Groups(NamedTuple):
    """The labels, and "none" if it has phrases.

    Attributes:
        starts: int64 (groups,), first phrase of each.
        sizes: int64 (groups,), number of phrases of each.
        single: bool (groups,), which have one phrase; None if none has.
    """

    starts: IntArray
    sizes: IntArray
    single: BoolArray | None


@dataclass(frozen=True)
class Spans:
    """The range of each label's phrases. Phrases are sorted by label; out-of-scope phrases ("none") come last.

    Attributes:
        starts: int64 (labels + 1,), first phrase of each label and of "none", which may have no phrases.
        total: number of phrases.
    """

    starts: IntArray
    total: int

    @classmethod
    def of(cls, owners: IntArray, labels: int) -> "Spans":
        """Compute the spans.

        Args:
            owners: int64 (n,) in [0, labels], the label of each phrase, sorted; every label has at least one phrase.
            labels: number of labels, not counting "none".
        """
        return cls(np.searchsorted(owners, np.arange(labels + 1)), len(owners))

    @property
    def labels(self) -> int:
        """Number of labels, not counting "none"."""
        return len(self.starts) - 1

    @property
    def has_none(self) -> bool:
        """Whether there are out-of-scope phrases."""
        return bool(self.starts[-1] < self.total)

    @property
    def sizes(self) -> IntArray:
        """Number of phrases of each label and of "none": int64 (labels + 1,)."""
        return np.diff(np.append(self.starts, self.total))

    def best(self, values: FloatArray) -> FloatArray:
        """Return the largest value among each label's phrases: (labels + 1,); 0 for "none" if it has no phrases."""
        if self.has_none:
            return np.maximum.reduceat(values, self.starts)
        return np.append(np.maximum.reduceat(values, self.starts[:-1]), np.float32(0))

    def best_and_mean(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what `best` returns, and the mean of the two largest values; for a single phrase, its value."""
        groups = self._groups
        best = np.maximum.reduceat(values, groups.starts)
        places = np.flatnonzero(values == best.repeat(groups.sizes))
        if len(places) > len(best):
            # Several phrases of a label have the largest value; leave all but the first of each where they are.
            places = places[np.searchsorted(places, groups.starts)]
        others = values.copy()
        others[places] = -np.inf
        second = np.maximum.reduceat(others, groups.starts)
        if groups.single is not None:
            np.copyto(second, best, where=groups.single)
        mean: FloatArray = np.multiply(best + second, 0.5, dtype=np.float32)
        if self.has_none:
            return best, mean
        return np.append(best, np.float32(0)), np.append(mean, np.float32(0))

    @cached_property
    def _groups(self) -> _Groups:
        count = len(self.starts) if self.has_none else self.labels
        sizes = self.sizes[:count]
        single = sizes == 1
        return _Groups(self.starts[:count], sizes, single if single.any() else None)


@dataclass(frozen=True)
class Whole:
    """The facts of a whole catalog that are needed to rank an excerpt of it as if all of it were there.

    Attributes:
        labels: number of labels.
        outside: its own out-of-scope phrases, folded.
        english: whether its phrases are English.
    """

    labels: int
    outside: frozenset[str]
    english: bool


@dataclass(frozen=True)
class Corpus:
    """A phrase book with indexes of its texts' characters and names.

    Attributes:
        book: the catalog.
        phrases: all n texts; an out-of-scope text has the label `len(book.labels)`.
        spans: where each label's phrases are.
        lexical: index of the texts' character n-grams.
        words: index of the words of each label: of its name, aliases, description and fields.
        names: index of names and aliases.
        whole: of the catalog that this is an excerpt of; None if it is all of it.
    """

    book: PhraseBook
    phrases: tuple[Phrase, ...]
    spans: Spans
    lexical: NgramIndex
    words: WordIndex
    names: NameIndex
    whole: Whole | None = None

    @classmethod
    def build(
        cls,
        book: PhraseBook,
        background: Sequence[str] = (),
        lexical: NgramIndex | None = None,
        words: WordIndex | None = None,
    ) -> Self:
        """Arrange a phrase book.

        Args:
            book: the catalog.
            background: phrases that no label of the catalog fits, besides its own out-of-scope phrases.
            lexical: the index of the same texts, if it was read from a vector file (default: built from the texts).
            words: the index of the labels' words, if it was read from a vector file (default: built from the texts).
        """
        none = len(book.labels)
        outside = [Phrase(text, "phrasing", none) for text in book.out_of_scope]
        phrases = (*book.phrases(), *outside, *(Phrase(text, "background", none) for text in background))
        owners = np.array([phrase.label for phrase in phrases], dtype=np.int64)
        if lexical is None:
            lexical = NgramIndex.build([phrase.text for phrase in phrases])
        return cls(
            book,
            phrases,
            Spans.of(owners, none),
            lexical,
            words or WordIndex.build([" ".join(label.words()) for label in book.labels]),
            name_index(book),
        )

    @property
    def catalog_size(self) -> int:
        """Number of labels of the whole catalog."""
        return self.whole.labels if self.whole else self.spans.labels

    @property
    def texts(self) -> list[str]:
        """The texts, in the order of `phrases`."""
        return [phrase.text for phrase in self.phrases]

    @property
    def own_texts(self) -> list[str]:
        """The texts that the catalog has, without the background phrases."""
        return [phrase.text for phrase in self.phrases if phrase.kind != "background"]

    @property
    def background(self) -> list[str]:
        """The background phrases among the texts."""
        return [phrase.text for phrase in self.phrases if phrase.kind == "background"]

    @cached_property
    def whole_rows(self) -> IntArray:
        """The phrase of each label that says most: its name with its description, else its name. int64 (labels,)."""
        rows = self.spans.starts[:-1].copy()
        for row, phrase in enumerate(self.phrases):
            if phrase.kind == "whole":
                rows[phrase.label] = row
        return rows

    @property
    def owners(self) -> IntArray:
        """Label of each phrase: int64 (n,)."""
        return np.repeat(np.arange(self.spans.labels + 1), self.spans.sizes)

    def nearest_phrase(self, label: int, values: FloatArray) -> tuple[Phrase, float]:
        """Return the phrase of a label that has the largest of `values`, (n,), and that value."""
        return self.nearest_phrases(label, values, 1)[0]

    def nearest_phrases(self, label: int, values: FloatArray, count: int) -> list[tuple[Phrase, float]]:
        """Return the phrases of a label that have the largest of `values`, (n,), and these; each text once."""
        start = int(self.spans.starts[label])
        own = values[start : start + int(self.spans.sizes[label])]
        found: dict[str, tuple[Phrase, float]] = {}
        for row in np.argsort(-own, kind="stable"):
            phrase = self.phrases[start + int(row)]
            found.setdefault(phrase.text, (phrase, float(own[row])))
            if len(found) == count:
                break
        return list(found.values())


def name_index(book: PhraseBook) -> NameIndex:
    """Return the index of a catalog's names, aliases and ids."""
    return NameIndex([(label.name, label.aliases) for label in book.labels], [label.id for label in book.labels])
