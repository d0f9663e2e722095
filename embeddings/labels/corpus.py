"""The texts of a catalog arranged for comparison: sorted by label, out-of-scope texts last."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.labels.label import Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.spans import Spans
from embeddings.text.char_ngrams import NgramIndex
from embeddings.text.names import NameIndex
from embeddings.text.word_index import WordIndex


@dataclass(frozen=True)
class Whole:
    """What must be known of a catalog to rank an excerpt of it as if all of it were there.

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
            words: the index of the labels' words, likewise.
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
    """The index of a catalog's names, aliases and ids."""
    return NameIndex([(label.name, label.aliases) for label in book.labels], [label.id for label in book.labels])
