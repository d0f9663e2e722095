"""What a match answers."""

from dataclasses import dataclass
from typing import Any, Final, Literal

MatchedBy = Literal["exact", "alias", "embedding", "lexical"]
Decision = Literal["resolved", "ambiguous", "no_match"]

DEFAULT_TOP: Final = 3
"""Matches returned when nothing else is asked for."""


@dataclass(frozen=True)
class Match:
    """One label that a phrase may mean.

    Attributes:
        name: the label's name.
        match_confidence: probability in [0, 1] that the label is what was meant.
        matched_by: the signal that put it where it is.
    """

    name: str
    match_confidence: float
    matched_by: MatchedBy

    def to_dict(self) -> dict[str, Any]:
        """JSON value; the confidence rounded to what it can mean."""
        return {
            "name": self.name,
            "matchConfidence": round(self.match_confidence, 3),
            "matchedBy": self.matched_by,
        }


@dataclass(frozen=True)
class MatchResult:
    """The answer for one phrase.

    Attributes:
        query: the phrase as given.
        decision: `resolved` (sure of the first match), `ambiguous` (several are plausible), `no_match` (none is).
        degraded: the answer was found without the model or the vectors.
        matches: best first.
    """

    query: str
    decision: Decision
    degraded: bool
    matches: tuple[Match, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON value, camelCase."""
        return {
            "query": self.query,
            "decision": self.decision,
            "degraded": self.degraded,
            "matches": [match.to_dict() for match in self.matches],
        }
