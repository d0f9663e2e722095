"""Results of a matcher compared with the labels that were wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import BoolArray, DoubleArray
from embeddings.ranking.match_result import MatchResult


@dataclass(frozen=True)
class LabelledQuery:
    """A query and the labels that answer it.

    Attributes:
        query: the phrase.
        gold: acceptable labels; empty for an out-of-scope query.
        stratum: the kind of query.
    """

    query: str
    gold: tuple[str, ...]
    stratum: str = "all"


@dataclass(frozen=True)
class Outcomes:
    """The results of a matcher on labelled queries, one row per query.

    Attributes:
        rank: float64 (n,), rank of the first gold label, from 1; infinity if none was returned.
        confidence: float64 (n,), confidence of the first match.
        resolved: bool (n,), whether the decision is `resolved`.
        no_match: bool (n,), whether the decision is `no_match`; where neither is, it is `ambiguous`.
        in_scope: bool (n,), whether there is a gold label.
        single: bool (n,), whether there is exactly one gold label.
    """

    rank: DoubleArray
    confidence: DoubleArray
    resolved: BoolArray
    no_match: BoolArray
    in_scope: BoolArray
    single: BoolArray

    @classmethod
    def of(cls, queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> Self:
        """Compare results with the gold labels."""
        gold = [set(query.gold) for query in queries]
        return cls(
            rank=np.array([_rank(wanted, result) for wanted, result in zip(gold, results, strict=True)], dtype=float),
            confidence=np.array([result.matches[0].match_confidence for result in results], dtype=float),
            resolved=np.array([result.decision == "resolved" for result in results], dtype=bool),
            no_match=np.array([result.decision == "no_match" for result in results], dtype=bool),
            in_scope=np.array([bool(wanted) for wanted in gold], dtype=bool),
            single=np.array([len(wanted) == 1 for wanted in gold], dtype=bool),
        )

    def rows(self, chosen: npt.NDArray[Any]) -> Self:
        """Select rows by mask or by index."""
        fields = (self.rank, self.confidence, self.resolved, self.no_match, self.in_scope, self.single)
        return type(self)(*(field[chosen] for field in fields))


def _rank(wanted: set[str], result: MatchResult) -> float:
    places = [place for place, match in enumerate(result.matches, start=1) if match.name in wanted]
    return places[0] if places else float("inf")
