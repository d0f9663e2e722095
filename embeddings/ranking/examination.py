"""A match together with all that it was decided by."""

from collections.abc import Mapping
from dataclasses import dataclass

from embeddings.ranking.explanation import Explanation
from embeddings.ranking.match_result import Decision, MatchResult
from embeddings.ranking.ranking import Ranking


@dataclass(frozen=True)
class Examination:
    """One phrase, read once.

    Attributes:
        result: the match.
        explanation: how candidates and "none of them" were scored.
        expected_costs: what each decision was expected to cost; the match has the cheapest, unless the phrase is a name
            or an alias.
        ranking: what both were made from.
    """

    result: MatchResult
    explanation: Explanation
    expected_costs: Mapping[Decision, float]
    ranking: Ranking
