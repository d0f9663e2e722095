"""The texts of a book laid out for comparison: sorted by label, those that fit no label last."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from embeddings.lexical_index import LexicalIndex
from embeddings.name_index import NameIndex
from embeddings.phrase_book import Phrase, PhraseBook
from embeddings.signals import FloatArray, IntArray, Spans


@dataclass(frozen=True)
class PhraseIndex:
    """A book, ready for comparison by its letters and words.

    Attributes:
        book: the catalog.
        phrases: every text, n of them; an out-of-scope one belongs to label `len(book.labels)`.
        spans: where each label's phrases are.
        lexical: index of the texts' character n-grams.
        names: index of names and aliases.
    """

    book: PhraseBook
    phrases: tuple[Phrase, ...]
    spans: Spans
    lexical: LexicalIndex
    names: NameIndex

    @classmethod
    def build(cls, book: PhraseBook, lexical: LexicalIndex | None = None) -> Self:
        """Lay a book out.

        Args:
            book: the catalog.
            lexical: the index of the same texts, if it is at hand from a vector file.
        """
        none = len(book.labels)
        phrases = (*book.phrases(), *(Phrase(text, "phrasing", none) for text in book.out_of_scope))
        owners = np.array([phrase.label for phrase in phrases], dtype=np.int64)
        if lexical is None:
            lexical = LexicalIndex.build([phrase.text for phrase in phrases])
        return cls(book, phrases, Spans.of(owners, none), lexical, NameIndex(book))

    @property
    def texts(self) -> list[str]:
        """The texts, in the order of `phrases`."""
        return [phrase.text for phrase in self.phrases]

    @property
    def owners(self) -> IntArray:
        """Label of each phrase: int64 (n,)."""
        return np.repeat(np.arange(self.spans.labels + 1), self.spans.sizes)

    def nearest_phrase(self, label: int, values: FloatArray) -> tuple[Phrase, float]:
        """The phrase of a label with the largest of `values`, (n,), and that value."""
        start = int(self.spans.starts[label])
        row = start + int(np.argmax(values[start : start + int(self.spans.sizes[label])]))
        return self.phrases[row], float(values[row])
