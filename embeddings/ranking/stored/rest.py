"""Counts the labels that were not proposed: each is unlikely, but many are not as unlikely together.

Without them, a phrase that fits no proposed label well is "none" more surely than in memory, where every label takes
its share. Of the tools of `benchmarks.stores`, 510 of which 128 are proposed, the others share 0.04 on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from embeddings.index.stores.record import StoredLabel
from embeddings.index.stores.store import Filter
from embeddings.labels.corpus import Corpus
from embeddings.ranking.rankers import RankClause, Ranker
from embeddings.ranking.ranking import Ranking, Rest


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
