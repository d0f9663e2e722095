"""Proposes the labels of a stored catalog that a phrase may mean, and estimates the probability of all others.

Only proposed labels are ranked. Without the estimate, a phrase that fits none of them well would be "none" more surely
than in memory, where every label takes its share. Of the 510 tools of `benchmarks.stores`, 128 are proposed, and the
others share a probability of 0.04 on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.corpus import Corpus
from embeddings.ranking.pauses import pause
from embeddings.ranking.rankers import RankClause, Ranker
from embeddings.ranking.ranking import Ranking, Rest
from embeddings.ranking.signals import whiten
from embeddings.ranking.workload import read_texts
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import EVERYTHING, Filter, Store
from embeddings.text.names import LONGEST_SEARCHED, runs
from embeddings.text.normalization import fold
from embeddings.text.spelling import SpellingCorrector

MAX_PROPOSED: Final = 128
"""Labels that are ranked for a phrase."""

MAX_NAMED: Final = 32
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
        """Keys of the labels that a phrase may mean, `MAX_PROPOSED` at most.

        Args:
            phrase: any text.
            exact: keys of the labels whose name it is.
            where: which labels count.
        """
        found = dict.fromkeys([*exact, *self._mentioned(phrase, where)[:MAX_NAMED]])
        whole, *parts = self._store.nearest(self._vectors(read_texts(phrase)), MAX_PROPOSED, where)
        # The phrase as a whole decides more often than a part of it.
        turns = zip_longest(*parts, whole[MAX_PROPOSED // 2 :]) if parts else ((key,) for key in whole)
        first = whole[: MAX_PROPOSED // 2] if parts else []
        found |= dict.fromkeys(key for key in chain(first, *turns) if key is not None)
        return [*found][:MAX_PROPOSED]

    def _mentioned(self, phrase: str, where: Filter) -> list[str]:
        readings = dict.fromkeys((phrase, self._corrector.correct(phrase, self._encoder.knows)))
        texts = dict.fromkeys(run for reading in readings for run in runs(fold(reading).split()[:LONGEST_SEARCHED]))
        return self._store.named([*texts], where)

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        readings = dict.fromkeys(
            reading for text in texts for reading in (text, self._corrector.correct(text, self._encoder.knows))
        )
        # One at a time, because the encoder keeps the vectors of single texts, and the ranking asks for them again.
        return whiten(np.concatenate([self._vector(text) for text in readings]), self._whitening)

    def _vector(self, text: str) -> FloatArray:
        pause()
        return self._encoder.encode([text])


@dataclass(frozen=True)
class Drawn:
    """Labels drawn from all labels of a catalog, and what ranks them."""

    records: tuple[StoredLabel, ...]
    ranker: Ranker


class RankerWithRest:
    """Ranks the proposed labels, whose confidences leave room for those of the others. See `Ranker`."""

    degraded = False

    def __init__(self, ranker: Ranker, keys: Sequence[str], more: int, drawn: Drawn, where: Filter) -> None:
        """Rank with a ranker.

        Args:
            ranker: ranks the proposed labels.
            keys: theirs.
            more: how many other labels there are.
            drawn: labels drawn from all.
            where: which labels count.
        """
        self._ranker, self._drawn = ranker, drawn.ranker
        others = [(place, record) for place, record in enumerate(drawn.records) if record.key not in frozenset(keys)]
        self._each = more / max(len(others), 1)
        self._others = np.array([place for place, record in others if where.admits(record.label.metadata)], np.int64)

    @property
    def corpus(self) -> Corpus:
        """The proposed labels."""
        return self._ranker.corpus

    def rank(self, phrase: str, *, as_typed: bool = False) -> Ranking:
        """See `Ranker`."""
        ranking = self._ranker.rank(phrase, as_typed=as_typed)
        return self._counted(ranking, self._drawn.rank(phrase, as_typed=as_typed))

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> tuple[Ranking, RankClause]:
        """See `Ranker`."""
        ranking, rank_clause = self._ranker.rank_clauses(phrase, clauses)
        drawn, drawn_clause = self._drawn.rank_clauses(phrase, clauses)
        return (
            self._counted(ranking, drawn),
            lambda place: self._counted(rank_clause(place), drawn_clause(place)),
        )

    def _counted(self, ranking: Ranking, drawn: Ranking) -> Ranking:
        """Take from the confidences what the labels that were not proposed have together."""
        utilities, others = ranking.utilities, drawn.utilities[self._others]
        top = np.concatenate([utilities, others]).max()
        rest = Rest(each=self._each)
        return replace(ranking, rest=rest).in_proportion(np.exp(utilities - top), np.exp(others - top))
