"""Counts the labels that were not proposed: each is unlikely, but many are not as unlikely together.

Without them, a phrase that fits no proposed label well is "none" more surely than in memory, where every label takes
its share. Of the tools of `benchmarks.stores`, 510 of which 128 are proposed, the others share 0.04 on average.
"""

from collections.abc import Callable, Sequence
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

    def __init__(
        self, ranker: Ranker, keys: Sequence[str], more: int, drawn: Callable[[], Drawn | None], where: Filter
    ) -> None:
        """Rank with a ranker.

        Args:
            ranker: ranks the proposed labels.
            keys: theirs.
            more: how many other labels there are.
            drawn: gives labels drawn from all; called for the first ranking.
            where: which labels count.
        """
        self._ranker, self._keys, self._more, self._where = ranker, frozenset(keys), more, where
        self._draw = drawn

    @property
    def corpus(self) -> Corpus:
        """The proposed labels."""
        return self._ranker.corpus

    def rank(self, phrase: str, *, as_typed: bool = False) -> Ranking:
        """See `Ranker`."""
        ranking = self._ranker.rank(phrase, as_typed=as_typed)
        drawn = self._draw()
        return self._counted(ranking, drawn, drawn.ranker.rank(phrase, as_typed=as_typed)) if drawn else ranking

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> tuple[Ranking, RankClause]:
        """See `Ranker`."""
        ranking, rank_clause = self._ranker.rank_clauses(phrase, clauses)
        drawn = self._draw()
        if drawn is None:
            return ranking, rank_clause
        beside, beside_clause = drawn.ranker.rank_clauses(phrase, clauses)
        return (
            self._counted(ranking, drawn, beside),
            lambda place: self._counted(rank_clause(place), drawn, beside_clause(place)),
        )

    def _counted(self, ranking: Ranking, drawn: Drawn, beside: Ranking) -> Ranking:
        """Take from the confidences what the labels that were not proposed have together."""
        others = [place for place, record in enumerate(drawn.records) if record.key not in self._keys]
        counting = [place for place in others if self._where.admits(drawn.records[place].label.metadata)]
        if not counting:
            return ranking
        utilities, more = ranking.utilities, beside.utilities[np.array(counting, dtype=np.int64)]
        top = max(utilities.max(), more.max())
        rest = Rest(each=self._more / len(others))
        return replace(ranking, rest=rest).in_proportion(np.exp(utilities - top), np.exp(more - top))
