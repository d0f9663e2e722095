"""The result of matching a phrase."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from embeddings.errors import CoverageError

MatchedBy = Literal["exact", "alias", "embedding", "lexical"]
Decision = Literal["resolved", "ambiguous", "no_match"]
Note = Literal["truncated", "several_needs", "negated", "not_english"]

DEFAULT_TOP: Final = 3
"""Number of matches returned by default."""


def with_id(name: str, identity: str) -> str:
    """Format a label whose name others have, too, for people to read."""
    return f"{name} [{identity}]"


@dataclass(frozen=True)
class Match:
    """One label that a phrase can mean.

    Attributes:
        name: the label's name.
        match_confidence: probability in [0, 1] that the label is the one that was meant.
        matched_by: what placed the label at this rank.
        id: what the catalog's owner calls the label; empty if there is none.
        metadata: JSON values of the label, as the catalog has them.
    """

    name: str
    match_confidence: float
    matched_by: MatchedBy
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value; the confidence is rounded to three digits, and an absent id or metadata is left out."""
        value: dict[str, Any] = {
            "name": self.name,
            "matchConfidence": round(self.match_confidence, 3),
            "matchedBy": self.matched_by,
        }
        if self.id:
            value["id"] = self.id
        if self.metadata:
            value["metadata"] = dict(self.metadata)
        return value


@dataclass(frozen=True)
class CoverageSet:
    """What a phrase can mean, with a promise.

    Attributes:
        coverage: probability with which the set has what is right, for phrases like the catalog's examples.
        labels: ids of labels, or names of those without, the likeliest first.
        has_none: whether "none of them" belongs to the set, too.
    """

    coverage: float
    labels: Sequence[str]
    has_none: bool

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value with camelCase keys."""
        return {"coverage": self.coverage, "labels": list(self.labels), "hasNone": self.has_none}


def check_coverage(coverage: float) -> None:
    """Check a coverage.

    Raises:
        CoverageError: it is not between 0 and 1.
    """
    if not 0 < coverage < 1:
        raise CoverageError(
            f"coverage is {coverage!r}; it is a probability above 0 and below 1; give one, such as 0.95"
        )


@dataclass(frozen=True)
class MatchResult:
    """The answer for one phrase.

    Attributes:
        query: the phrase as given.
        decision: `resolved` (the first match is clear), `ambiguous` (several are plausible) or `no_match` (none is
            plausible).
        degraded: whether the answer was found without the model or the vectors, as names and words alone allow. That is
            decided where the matcher is loaded (`server.matching.matcher_provider`), over a store whose engine is away
            (`embeddings.store_matcher`), and for a gateway's tools (`server.gateway.tool_catalog.tool_index`).
        matches: best first.
        none_confidence: probability in [0, 1] that no label is meant.
        notes: what the matches alone do not say: `truncated` (a part of the text was not read), `several_needs` (it
            states more than one), `negated` (it says what is not wanted, which was left out), `not_english` (it was
            matched as English although it is not).
        within: the set that has what is right with the probability that was asked for; None if none was.
    """

    query: str
    decision: Decision
    degraded: bool
    matches: tuple[Match, ...]
    none_confidence: float = 0.0
    notes: tuple[Note, ...] = ()
    within: CoverageSet | None = None

    def offered(self, most: int) -> tuple[Match, ...]:
        """Return the matches that the decision offers: one if resolved, `most` at most if ambiguous, else none."""
        return self.matches[: {"resolved": 1, "ambiguous": most, "no_match": 0}[self.decision]]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value with camelCase keys."""
        return {
            "query": self.query,
            "decision": self.decision,
            "degraded": self.degraded,
            "noneConfidence": round(self.none_confidence, 3),
            **({"notes": list(self.notes)} if self.notes else {}),
            **({"within": self.within.to_dict()} if self.within else {}),
            "matches": [match.to_dict() for match in self.matches],
        }
