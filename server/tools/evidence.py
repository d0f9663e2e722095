"""The evidence for a candidate, as the explanations of matches show it; what the signals in it mean."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from embeddings.ranking.match_result import MatchResult
from server.matching.service import Service
from server.tools.answers import Answer, Candidate, Confidence, MatchNote, RelevantStatement

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation, Explanation


LEGEND: Final = {
    "likeness in meaning to all its wordings": ("kernel",),
    "to the nearest of them": ("cosine", "nearest"),
    "to name and description": ("whole", "part"),
    "shared words": ("words", "coverage"),
    "shared letters": ("spelling", "substring"),
    "head start of nothing": ("none", "catalog size"),
    "likeness to what is out of scope": ("none kernel", "none cosine", "none spelling"),
}
"""Meanings of the signals."""


class Case(Answer):
    """The evidence for one candidate."""

    name: str
    match_confidence: Confidence
    parts: dict[str, float]
    nearest_phrase: str | None = None
    nearest_kind: str | None = None
    nearness: float | None = None

    @property
    def called(self) -> str:
        """The name by which sentences speak of it."""
        return self.name


class AskedAbout(Case):
    """The evidence for the reading that the caller expected: its place among all candidates, and how it was read."""

    place: int
    match: MatchNote | None = None


Placed = tuple["CandidateExplanation", float]
"""A candidate and its probability in the match."""


def placed(result: MatchResult, explanation: "Explanation") -> list[Placed]:
    """Return all labels in the order of the match.

    One that is named comes first, and with several named only these count.
    """
    labels = explanation.candidates[:-1]
    known = {(label.name, label.id): label for label in labels}
    matches = result.matches[:1] if explanation.named else result.matches
    first = {(match.name, match.id): match.match_confidence for match in matches}
    if explanation.named:
        first = {key: known[key].match_confidence for key in first}
    shared = names_several(result)
    rest = [(label, 0.0 if shared else label.match_confidence) for key, label in known.items() if key not in first]
    return [(known[key], confidence) for key, confidence in first.items()] + rest


def names_several(result: MatchResult) -> bool:
    """Return whether the phrase is a name or alias of several labels, which share the certainty."""
    return result.decision == "ambiguous" and result.matches[0].matched_by in ("exact", "alias")


def place_of(reading: MatchResult, ranked: Sequence[Placed]) -> int:
    """Return the position, from 1, of what the caller's words for the expected reading mean most likely."""
    wanted = reading.matches[0]
    return 1 + [(label.name, label.id) for label, _ in ranked].index((wanted.name, wanted.id))


def case(candidate: "CandidateExplanation", confidence: float | None = None) -> Case:
    """Return the evidence for a candidate, as answers show it.

    `confidence` stands in place of that of its words alone.
    """
    parts = {signal: round(part, 1) for signal, part in candidate.parts.items()}
    near = candidate.phrase and candidate.nearness > 0
    return Case(
        name=candidate.name,
        match_confidence=round(candidate.match_confidence if confidence is None else confidence, 3),
        parts={signal: part for signal, part in parts.items() if part},
        nearest_phrase=candidate.phrase if near else None,
        nearest_kind=candidate.kind if near else None,
        nearness=round(candidate.nearness, 3) if near else None,
    )


def legend(cases: Iterable[Case]) -> dict[str, str]:
    """Explain what the signals in these cases measure: meanings by signals, those of one meaning joined by commas."""
    used = {signal for each in cases for signal in each.parts}
    kept = {meaning: [signal for signal in signals if signal in used] for meaning, signals in LEGEND.items()}
    return {", ".join(signals): meaning for meaning, signals in kept.items() if signals}


def relevant(service: Service, result: MatchResult, agent: str, capability: str) -> list[RelevantStatement]:
    """Return the statements of an agent's entry that bear on the phrase; nothing for a bare name or alias."""
    return [
        RelevantStatement(
            statement=found.statement.text, field=found.statement.field, confidence=round(found.confidence, 3)
        )
        for found in service.relevant(result, agent, capability)
    ]


def beside(told: str | None, statements: Iterable[RelevantStatement]) -> list[RelevantStatement] | None:
    """Return the statements without the sentence that is told already; None if none is left."""
    return [said for said in statements if said.statement != told] or None


def with_relevant(service: Service, result: MatchResult, agent: str, candidate: Candidate) -> Candidate:
    """Return a candidate with what the agent's entry says that bears on the phrase."""
    return candidate.model_copy(update={"relevant": relevant(service, result, agent, candidate.name) or None})
