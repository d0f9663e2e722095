"""`compare_capability`: how do the agents compare on one need?"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field

from server.catalog.catalog import Agent
from server.catalog.facets import Verdict
from server.catalog.models import Access, CapabilityEntry, MaturityLevel, Tier
from server.matching.asking import AskedNeed
from server.matching.service import Service
from server.tools.answers import (
    AbsentIfEmpty,
    Answer,
    Confidence,
    Relevants,
    RelevantStatement,
    Understood,
    as_text,
    understood,
    unresolved,
)
from server.tools.definition import MAX_AGENTS, Name, Request, ServiceTool
from server.tools.evidence import beside, relevant
from server.tools.paging import caution, cut
from server.tools.verdicts import LONGEST_BECAUSE, Standing, standing, weakest

ROOM: Final = 1_000
"""Bytes of JSON for each agent; four agents then stay within 1,200 tokens of cl100k, as a test measures."""

MIN_AGENTS: Final = 4
"""Fewer agents than this share the room of so many."""


class ShortNotes(Answer):
    """The minimum needed to start using a capability."""

    setup: str | None = None
    start_url: str | None = None


class ComparedPart(Answer):
    """How an agent stands on one of several needs."""

    verdict: Verdict | None = None
    value: str | None = None
    because: str | None = None


class ComparedAgent(Answer):
    """One agent's standing. `limitations` leaves out what `because` and `relevant` say, and can be shortened."""

    agent: str
    verdict: Verdict | None = None
    value: str | None = None
    because: str | None = None
    parts: Annotated[list[ComparedPart] | None, AbsentIfEmpty] = None
    available: bool | None = None
    documented: Literal[False] | None = None
    relevant: Relevants = None
    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    maturity_level: MaturityLevel | None = None
    terminology: str | None = None
    limitations: Annotated[list[str] | None, AbsentIfEmpty] = None
    implementation_notes: ShortNotes | None = None

    def shortened(self, length: "Length") -> Self:
        """Return the same with fewer and shorter texts."""
        notes = self.implementation_notes
        setup = cut(notes.setup, length.other) if notes and notes.setup else None
        parts = [
            part.model_copy(update={"because": part.because and cut(part.because, length.other)})
            for part in self.parts or ()
        ]
        return self.model_copy(
            update={
                "because": self.because and cut(self.because, length.other),
                "parts": parts or None,
                "relevant": [
                    said.model_copy(update={"statement": cut(said.statement, length.other)})
                    for said in self.relevant or ()
                ]
                or None,
                "limitations": [cut(text, length.limitation) for text in (self.limitations or ())[: length.count]]
                or None,
                "implementation_notes": notes.model_copy(update={"setup": setup}) if notes else None,
            }
        )


@dataclass(frozen=True)
class Length:
    """How long the texts of a line may be.

    Attributes:
        count: maximum limitations.
        limitation: maximum characters of each.
        other: maximum characters of each other text.
    """

    count: int
    limitation: int
    other: int


LENGTHS: Final = (
    *(Length(count, 4_000, 4_000) for count in (50, 5, 4, 3, 2)),
    *(Length(2, most, 4_000) for most in (200, 150, 100)),
    *(Length(1, most, 4_000) for most in (200, 100, 50)),
    *(Length(1, 50, most) for most in (400, 200, 100, 50)),
)
"""From everything to little; the first with which the lines fit is taken."""


def compared(agent: Agent, needs: Sequence[AskedNeed], relevant: Sequence[RelevantStatement]) -> ComparedAgent:
    """Return one agent's line in full: its verdict, and what its entry for the first need says."""
    standings = [standing(agent, need) for need in needs]
    decides = weakest(standings)
    line = ComparedAgent(
        agent=agent.id,
        verdict=decides.verdict,
        value=decides.value,
        because=decides.because and cut(decides.because, LONGEST_BECAUSE),
        parts=[_part(each) for each in standings] if len(standings) > 1 else [],
    )
    entry = agent.entries.get(needs[0].capability or "")
    if entry is None:
        return line.model_copy(update={"documented": False})
    told = {decides.because, *(said.statement for said in relevant)}
    return line.model_copy(update={"relevant": beside(decides.because, relevant), **_of_entry(entry, told)})


def _part(found: Standing) -> ComparedPart:
    return ComparedPart(
        verdict=found.verdict, value=found.value, because=found.because and cut(found.because, LONGEST_BECAUSE)
    )


def _of_entry(entry: CapabilityEntry, told: Collection[str | None]) -> dict[str, Any]:
    """Return the fields of a line that an entry fills; what an agent lacks has no plan and no setup."""
    fields: dict[str, Any] = {"available": entry.available, "terminology": entry.terminology}
    fields["limitations"] = [text for text in entry.limitations if text not in told] or None
    if entry.available:
        notes = entry.implementation_notes
        fields |= {"tier": entry.tier, "access": list(entry.access) or None, "maturity_level": entry.maturity_level}
        fields["implementation_notes"] = ShortNotes(setup=notes.setup, start_url=notes.start_url) if notes else None
    return fields


def fitting(lines: Sequence[ComparedAgent]) -> list[ComparedAgent]:
    """Return the lines, shortened as far as needed."""
    room = ROOM * max(len(lines), MIN_AGENTS)
    shorter = list(lines)
    for length in LENGTHS:
        shorter = [line.shortened(length) for line in lines]
        if _size(shorter) <= room:
            break
    return shorter


def _size(lines: Iterable[ComparedAgent]) -> int:
    return sum(len(as_text(line.to_json()).encode()) for line in lines)


HINT_LIMITED: Final = "Available, but see relevant for {}: it may not do what was asked."


class CompareRequest(Request):
    """Arguments of `compare_capability`."""

    capability: Annotated[str, Field(description="a capability's name, or any phrase for one need")]
    agents: Annotated[
        list[Name] | None, Field(max_length=MAX_AGENTS, description="agents to compare; all when left out")
    ] = None


class AskedQuestion(Answer):
    """The question that is answered; with `opposite`, the caller wants its opposite, and verdicts are turned."""

    question: str
    opposite: Literal[True] | None = None
    match_confidence: Confidence
    alternatives: Annotated[list[str] | None, AbsentIfEmpty] = None


class CompareAnswer(Understood):
    """Answer of `compare_capability`; `needs` are there if the phrase states several; `parts` are in their order."""

    asked: AskedQuestion | None = None
    needs: Annotated[list[str] | None, AbsentIfEmpty] = None
    capability: str | None = None
    comparison: list[ComparedAgent] | None = None


def compare(service: Service, request: CompareRequest) -> CompareAnswer:
    """Understand the phrase, and show how each agent stands on it."""
    restricted = list(dict.fromkeys(service.agent(agent) for agent in request.agents or ()))
    asked = service.ask_each(request.capability)
    needs, first = asked.needs, asked.needs[0]
    if first.capability is None:
        return CompareAnswer(**unresolved(service.catalog, asked.whole.result))
    named = [agent for agent in asked.whole.need.agents if agent in service.catalog.agents]
    agents = restricted or list(dict.fromkeys([*named, *service.catalog.agents]))
    lines = [
        compared(
            service.catalog.agents[agent],
            needs,
            relevant(service, first.result, agent, first.capability) if len(needs) == 1 else [],
        )
        for agent in agents
    ]
    fields = understood(first)
    warning = None if first.facet else _warning(lines)
    fields["hint"] = " ".join(filter(None, [fields["hint"], warning])) or None
    return CompareAnswer(
        asked=_question(first) if len(needs) == 1 else None,
        needs=[_named(need) for need in needs] if len(needs) > 1 else [],
        capability=first.capability,
        comparison=fitting(lines),
        **fields,
    )


def _question(need: AskedNeed) -> AskedQuestion | None:
    if need.facet is None:
        return _whole_question(need) if need.opposite else None
    return AskedQuestion(
        question=need.facet.facet.question,
        opposite=True if need.facet.opposite else None,
        match_confidence=round(need.facet.confidence, 3),
        alternatives=[other.facet.question for other in need.alternatives],
    )


def _whole_question(need: AskedNeed) -> AskedQuestion:
    best = need.result.matches[0]
    question = f"Does it have {best.name}?"
    return AskedQuestion(question=question, opposite=True, match_confidence=round(best.match_confidence, 3))


def _named(need: AskedNeed) -> str:
    return need.facet.facet.question if need.facet else need.capability or ""


def _warning(lines: Sequence[ComparedAgent]) -> str | None:
    """Return which agents have the capability with a limitation that bears on the caller's words."""
    limited = [line.agent for line in lines if line.available and caution(line.relevant)]
    return HINT_LIMITED.format(", ".join(limited)) if limited else None


TOOL = ServiceTool(
    name="compare_capability",
    title="Compare a capability",
    family="core",
    description=("Compare AI coding agents on one need, in any wording: yes, no or partly, and why."),
    docs=(
        "Give one need in the user's words (agents may be named in it; they come first) and, to see only some agents, "
        "their ids. `asked` is the question that was meant; each agent has its `verdict` (yes, no, partly, or "
        "undocumented, which is never a yes) or `value`, and `because`, the sentence that says so. Without a question, "
        "the verdict is that of the capability as a whole. `relevant` has further statements that bear on the phrase. "
        "With `decision: ambiguous` and a comparison, the likeliest question is answered and `asked.alternatives` "
        "names another. Several needs in one phrase: `needs` names them, `parts` has each, and `verdict` is the "
        "weakest. `documented: false`: the catalog says nothing. lookup_capability has the depth for one agent."
    ),
    request=CompareRequest,
    answer=CompareAnswer,
    handler=compare,
    known=lambda service: {"agents": list(service.catalog.agents)},
)
