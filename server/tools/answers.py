"""Parts that several tools' answers share. Fields without a value are left out, never null."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypedDict

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from embeddings.ranking.match_result import Decision, Match, MatchResult, Note
from server.catalog.catalog import Catalog
from server.catalog.models import AsOf, Status, Tier
from server.matching.asking import AskedNeed

Confidence = Annotated[float, Field(ge=0, le=1)]

AbsentIfEmpty: Final = BeforeValidator(lambda value: value or None)
"""Marks a field that is left out of the answer if it is empty; other empty lists are shown as `[]`."""

_FIRST: Final = ("agent", "asOf", "until", "decision", "query", "match", "answer", "asked")

MIN_CONFIDENCE_LISTED: Final = 0.01
"""Confidence of the least likely candidate that an unresolved answer lists; the first is always listed.

In unresolved answers to the 2,904 labelled queries of `benchmarks/dev.jsonl`, `apart_*.jsonl` and `held_out_*.jsonl`, 3
of 1,107 candidates below it are right; of those with 0.05 or more, 107 of 592 are.
"""

HINT_AMBIGUOUS = (
    "It is not certain which capability is meant. Answer from the candidates, or call again with one of their names."
)
HINT_NO_MATCH = (
    "No known capability fits this phrase. The candidates are weak guesses; if none is meant, say that the catalog "
    "does not cover it: it knows the lowest plan (tier) of each capability, but no prices, news or states of bugs. "
    "list_capabilities shows what it covers."
)
NEXT_STEPS: Final[Mapping[Decision, str]] = {"ambiguous": HINT_AMBIGUOUS, "no_match": HINT_NO_MATCH}

NOTE_HINTS: Final[dict[Note, str]] = {
    "several_needs": "The phrase states several needs; call once for each.",
    "negated": "What the phrase says is not wanted was left out.",
    "truncated": "The phrase is too long and was read in part; state one need in a sentence.",
}
HINT_NOT_ENGLISH = "matched as English; ask again in English"


class Answer(BaseModel):
    """Base of answers and their parts: camelCase in JSON, where fields that are None are left out."""

    # Built when first needed, so that a start does not wait for the models of tools that are not advertised. An answer
    # takes from a part of the catalog the attributes of its own fields.
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True, from_attributes=True
    )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value; agent, horizon, decision, query and match come first, for readers that stop early."""
        value = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {key: value[key] for key in _FIRST if key in value} | value


def as_text(value: dict[str, Any]) -> str:
    """Return an answer's JSON value as compact text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class MatchNote(Answer):
    """How a phrase was understood."""

    query: str
    matched_by: Literal["embedding", "lexical"]
    match_confidence: Confidence


class Horizon(Answer):
    """The release of an agent that the facts describe, and the day of the newest page that was read."""

    version: str
    date: str


class SourceNote(Answer):
    """Where a fact was read, as lookup shows it."""

    url: str
    verified_date: str | None = None


class SourceItem(Answer):
    """Where a fact was read, in full. The list of all sources of one agent leaves out agent and description."""

    agent: str | None = None
    capability: str
    url: str
    description: Annotated[str | None, AbsentIfEmpty] = None
    verified_date: str | None = None
    status: Status = "active"


class RelevantStatement(Answer):
    """A statement of an entry that bears on the caller's words."""

    statement: str
    field: str
    confidence: Confidence


Relevants = Annotated[list[RelevantStatement] | None, AbsentIfEmpty]
"""At most two statements, likeliest first; absent where none stands out."""


class Candidate(Answer):
    """A capability that a phrase may mean, with its standing for the agent if the caller named one."""

    name: str
    category: str
    match_confidence: Confidence
    available: bool | None = None
    documented: Literal[False] | None = None
    tier: Tier | None = None
    relevant: Relevants = None


class PhraseAnswer(Answer):
    """Fields of an answer to a phrase.

    `match` is present if the phrase was resolved, but not by an exact name or alias; `query` and `matches` are present
    if it was not resolved. `hint` says what to do next, or what the answer leaves out. `degraded` is present, and true,
    if no embedding model was used.
    """

    match: MatchNote | None = None
    degraded: Literal[True] | None = None
    query: str | None = None
    matches: list[Candidate] | None = None
    hint: str | None = None


class Understood(PhraseAnswer):
    """An answer of a tool that always takes a phrase."""

    decision: Decision


class ResolvedFields(TypedDict):
    """Fields of an answer whose phrase was resolved."""

    decision: Decision
    match: MatchNote | None
    degraded: Literal[True] | None
    hint: str | None


class UnresolvedFields(TypedDict):
    """Fields of an answer whose phrase was not resolved."""

    decision: Decision
    degraded: Literal[True] | None
    query: str
    matches: list[Candidate]
    hint: str | None


def resolved(result: MatchResult) -> ResolvedFields:
    """Return how a resolved phrase was understood; `match` is None for an exact name or alias."""
    best = result.matches[0]
    certain = best.matched_by in ("exact", "alias")
    note = MatchNote(
        query=echo(result.query),
        matched_by="embedding" if best.matched_by == "embedding" else "lexical",
        match_confidence=round(best.match_confidence, 3),
    )
    return {
        "decision": "resolved",
        "match": None if certain else note,
        "degraded": True if result.degraded else None,
        "hint": hint(result),
    }


def understood(asked: AskedNeed) -> ResolvedFields:
    """Return how a need was understood whose capability is known: by its heading, or by the facet that it asks for.

    If another facet may be meant as well, the decision is `ambiguous`, although the likelier one is answered.
    """
    fields = resolved(asked.result)
    if asked.facet is None:
        return fields
    sure = max(asked.facet.confidence, asked.heading_confidence)
    note = MatchNote(query=echo(asked.result.query), matched_by="embedding", match_confidence=round(sure, 3))
    fields["decision"] = "ambiguous" if asked.alternatives else "resolved"
    fields["match"] = fields["match"] and note
    fields["hint"] = hint(asked.result, {})
    return fields


def unresolved(catalog: Catalog, result: MatchResult, agent: str | None = None) -> UnresolvedFields:
    """Return the candidates, with their standing for the agent if the caller named one, and what to do next."""
    return {
        "decision": result.decision,
        "degraded": True if result.degraded else None,
        "query": echo(result.query),
        "matches": [_candidate(catalog, match, agent) for match in listed(result)],
        "hint": hint(result),
    }


def listed(result: MatchResult) -> list[Match]:
    """Return the matches that an unresolved answer lists: the first, and others that are not next to impossible."""
    return [
        match
        for place, match in enumerate(result.matches)
        if place == 0 or match.match_confidence >= MIN_CONFIDENCE_LISTED
    ]


def hint(result: MatchResult, next_steps: Mapping[Decision, str] = NEXT_STEPS) -> str | None:
    """Return a hint at what the caller should know or do next; None if the answer says all.

    Args:
        result: how the phrase was understood.
        next_steps: what to do after each decision that leaves something to do.
    """
    if "not_english" in result.notes:
        return HINT_NOT_ENGLISH
    hints = [next_steps.get(result.decision), *(NOTE_HINTS.get(note) for note in result.notes)]
    hints.append(subject_hint(result.query))
    return " ".join(filter(None, hints)) or None


_PRICES: Final = r"pric(?:e|es|ing)|per (?:million )?tokens?|refunds?|discounts?|how much (?:does|is|do|are)"
_NEWS: Final = r"stocks?|(?:buy )?shares (?:in|of|somewhere)|ipo|lay(?:ing|s)? off|layoffs?|acquired|lawsuit|ceo"
_BUGS: Final = r"(?:that|this|the|a) bug|bugs? (?:fixed|still)|fixed (?:in|yet)|crash(?:es|ed|ing)?|outage|issue #?\d+"
_SCORES: Final = r"swe-?bench|benchmarks?|leaderboards?|scores? (?:on|in)|smartest"
NEVER_HERE: Final[Mapping[str, re.Pattern[str]]] = {
    subject: re.compile(rf"\b(?:{words})\b")
    for subject, words in {
        "prices": _PRICES,
        "news of companies": _NEWS,
        "the state of single bugs": _BUGS,
        "scores of models or agents": _SCORES,
    }.items()
}
"""What the catalog never has, and words that ask for it."""


def subject_hint(query: str) -> str | None:
    """Return a hint that the catalog never has what a phrase asks for; None if it does not ask for such a thing."""
    lowered = query.casefold()
    asked = [subject for subject, words in NEVER_HERE.items() if words.search(lowered)]
    return f"The catalog never has {' or '.join(asked)}." if asked else None


def _candidate(catalog: Catalog, match: Match, agent: str | None) -> Candidate:
    entry = catalog.entry(agent, match.name) if agent else None
    return Candidate(
        name=match.name,
        category=catalog.by_name[match.name].category,
        match_confidence=round(match.match_confidence, 3),
        available=entry.available if entry else None,
        documented=False if agent and entry is None else None,
        tier=entry.tier if entry else None,
    )


def echo(query: str, most: int = 200) -> str:
    """Return the caller's phrase as answers repeat it; a long one is cut to save tokens."""
    return query if len(query) <= most else query[: most - 3] + "..."


def horizon(as_of: AsOf | None) -> Horizon | None:
    """Return the date that an agent's facts stand at; None if the data do not say so."""
    return Horizon(version=as_of.version, date=as_of.date) if as_of else None
