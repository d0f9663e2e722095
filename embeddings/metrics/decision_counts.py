"""Counts decisions by whether they were right."""

from dataclasses import dataclass
from typing import Self

from embeddings.metrics.outcomes import Outcomes
from embeddings.ranking.match_result import DEFAULT_TOP


@dataclass(frozen=True)
class DecisionCounts:
    """Numbers of queries by decision.

    Attributes:
        resolved_right: resolved to a gold label.
        resolved_wrong: resolved to another label, or out of scope.
        ambiguous_right: ambiguous, and a gold label is among the first three.
        ambiguous_wrong: ambiguous, and none is; out-of-scope queries are here, too.
        no_match_right: `no_match`, and out of scope.
        no_match_wrong: `no_match` although there is a gold label.
    """

    resolved_right: int
    resolved_wrong: int
    ambiguous_right: int
    ambiguous_wrong: int
    no_match_right: int
    no_match_wrong: int

    @classmethod
    def of(cls, outcomes: Outcomes) -> Self:
        """Count the decisions of outcomes."""
        ambiguous = ~(outcomes.resolved | outcomes.no_match)
        first, shown = outcomes.rank == 1, outcomes.rank <= DEFAULT_TOP
        return cls(
            resolved_right=int((outcomes.resolved & first).sum()),
            resolved_wrong=int((outcomes.resolved & ~first).sum()),
            ambiguous_right=int((ambiguous & shown).sum()),
            ambiguous_wrong=int((ambiguous & ~shown).sum()),
            no_match_right=int((outcomes.no_match & ~outcomes.in_scope).sum()),
            no_match_wrong=int((outcomes.no_match & outcomes.in_scope).sum()),
        )

    def to_dict(self) -> dict[str, int]:
        """Return a JSON value with camelCase keys."""
        return {
            "resolvedRight": self.resolved_right,
            "resolvedWrong": self.resolved_wrong,
            "ambiguousRight": self.ambiguous_right,
            "ambiguousWrong": self.ambiguous_wrong,
            "noMatchRight": self.no_match_right,
            "noMatchWrong": self.no_match_wrong,
        }
