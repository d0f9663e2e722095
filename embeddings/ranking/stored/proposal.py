"""Proposes the labels of a stored catalog that a phrase may mean; ranking them is another matter."""

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.stores.store import EVERYTHING, Filter, Store
from embeddings.ranking.message.needs import MOST_CLAUSES
from embeddings.ranking.whitening import whiten
from embeddings.text.message.clauses import clauses
from embeddings.text.message.negation import refusals
from embeddings.text.message.windows import is_long, windows
from embeddings.text.names import LONGEST_SEARCHED, runs
from embeddings.text.normalization import fold
from embeddings.text.spelling import SpellingCorrector

MOST_PROPOSED: Final = 128
"""Labels that are ranked for a phrase."""

MOST_NAMED: Final = 32
"""Labels that are ranked because words of the phrase name them."""


class Proposer:
    """Proposes labels. Safe to share between threads."""

    def __init__(self, store: Store, encoder: TextEncoder, whitening: FloatArray, corrector: SpellingCorrector) -> None:
        """Propose from a store.

        Args:
            store: the catalog.
            encoder: embeds phrases.
            whitening: of the catalog.
            corrector: of spelling, with the words of the catalog.
        """
        self._store = store
        self._encoder = encoder
        self._whitening = whitening
        self._corrector = corrector

    def named(self, phrase: str, where: Filter = EVERYTHING) -> list[str]:
        """Keys of the labels whose name, alias or id the whole phrase is."""
        return self._store.named([*dict.fromkeys((fold(phrase), phrase.strip()))], where)

    def propose(self, phrase: str, exact: Sequence[str], where: Filter = EVERYTHING) -> list[str]:
        """Keys of the labels that a phrase may mean, `MOST_PROPOSED` at most.

        Args:
            phrase: any text.
            exact: keys of the labels whose name it is.
            where: which labels count.
        """
        found = dict.fromkeys([*exact, *self._mentioned(phrase, where)[:MOST_NAMED]])
        whole, *parts = self._store.nearest(self._vectors(read_texts(phrase)), MOST_PROPOSED, where)
        # The phrase as a whole decides more often than a part of it.
        turns = zip_longest(*parts, whole[MOST_PROPOSED // 2 :]) if parts else ((key,) for key in whole)
        first = whole[: MOST_PROPOSED // 2] if parts else []
        found |= dict.fromkeys(key for key in chain(first, *turns) if key is not None)
        return [*found][:MOST_PROPOSED]

    def _mentioned(self, phrase: str, where: Filter) -> list[str]:
        readings = dict.fromkeys((phrase, self._corrector.correct(phrase, self._encoder.knows)))
        texts = dict.fromkeys(run for reading in readings for run in runs(fold(reading).split()[:LONGEST_SEARCHED]))
        return self._store.named([*texts], where)

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        readings = dict.fromkeys(
            reading for text in texts for reading in (text, self._corrector.correct(text, self._encoder.knows))
        )
        # One at a time, because the encoder keeps the vectors of single texts, and the ranking asks for them again.
        return whiten(np.concatenate([self._encoder.encode([text]) for text in readings]), self._whitening)


def read_texts(message: str) -> list[str]:
    """The texts that a message is read by: itself or its windows, its clauses, and what it refuses and what is left."""
    rest, refused = refusals(message)
    refusing = [text for each in refused for text in (each.what, each.said)]
    found = [part for text in (message, rest) if text for part in _read_as(text)]
    return [*dict.fromkeys([*found, *refusing])]


def _read_as(text: str) -> list[str]:
    if is_long(text):
        return [*windows(text).texts]
    parts = clauses(text)
    return [text, *(part.text for part in parts[:MOST_CLAUSES])] if len(parts) > 1 else [text]
