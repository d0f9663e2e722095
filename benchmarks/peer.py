"""The interface of compared matchers, and the catalog that they are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from embeddings.encoder.caching import CachedEncoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import Decision

Scores = npt.NDArray[np.float64]

NOT_ANSWERED: Final = -np.inf
"""Score of a label that the matcher does not return."""


class Peer(Protocol):
    """A matcher under comparison.

    Attributes:
        name: its name in the tables.
        package: the package that must be installed; empty if the project needs it anyway.
        calibrated: whether its scores are meant as probabilities.
    """

    name: str
    package: str
    calibrated: bool

    def fit(self, catalog: "Texts") -> None:
        """Fit the matcher to a catalog."""

    def scores(self, queries: Sequence[str]) -> Scores:
        """Score every label for every query: (queries, labels), larger is likelier."""


@runtime_checkable
class Decider(Protocol):
    """A matcher that also decides whether its first label is the answer."""

    def decisions(self, queries: Sequence[str]) -> list[Decision]:
        """Decide on each query."""


class CannotFitError(Exception):
    """The catalog has too little for the matcher, such as no phrases to hold out."""


@dataclass(frozen=True)
class Texts:
    """A catalog's texts as a flat list, and the encoder for matchers that need vectors.

    Attributes:
        book: the catalog.
        texts: names, aliases, descriptions and phrasings, sorted by label.
        owners: int64 (n,), the label of each text.
        encoder: gives every matcher the same vectors.
    """

    book: PhraseBook
    texts: list[str]
    owners: npt.NDArray[np.int64]
    encoder: CachedEncoder

    @classmethod
    def of(cls, book: PhraseBook, encoder: CachedEncoder) -> Self:
        """Flatten a catalog; its out-of-scope phrases are only in `book`."""
        phrases = list(book.phrases())
        owners = np.array([phrase.label for phrase in phrases])
        return cls(book, [phrase.text for phrase in phrases], owners, encoder)

    def best(self, values: npt.NDArray[Any]) -> Scores:
        """Take the largest value of each label: (queries, texts) to (queries, labels)."""
        starts = np.searchsorted(self.owners, np.arange(len(self.book.labels)))
        return np.maximum.reduceat(values, starts, axis=1).astype(np.float64)
