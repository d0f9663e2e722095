"""`compare_capability`: how do the agents compare on one need?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from pydantic import Field

from server.catalog.models import CapabilityEntry, MaturityLevel, Tier
from server.matching.service import Service
from server.tools.answers import (
    AbsentIfEmpty,
    Answer,
    Relevants,
    RelevantStatement,
    Understood,
    as_text,
    resolved,
    unresolved,
)
from server.tools.definition import MAX_AGENTS, Name, Request, ServiceTool
from server.tools.evidence import relevant
from server.tools.paging import caution, cut

ROOM: Final = 1_000
"""Bytes of JSON for each agent; four agents then stay within 1,200 tokens of cl100k, as a test measures."""

MIN_AGENTS: Final = 4
"""Fewer agents than this share the room of so many."""


class ShortNotes(Answer):
    """The minimum needed to start using a capability."""

    setup: str | None = None
    start_url: str | None = None


class ComparedAgent(Answer):
    """One agent's standing; `limitations` leaves out those in `relevant`, and can be shortened."""

    agent: str
    available: bool | None = None
    documented: Literal[False] | None = None
    relevant: Relevants = None
    tier: Tier | None = None
    maturity_level: MaturityLevel | None = None
    terminology: str | None = None
    limitations: Annotated[list[str] | None, AbsentIfEmpty] = None
    implementation_notes: ShortNotes | None = None

    def shortened(self, length: "Length") -> Self:
        """Return the same with fewer and shorter texts."""
        notes = self.implementation_notes
        setup = cut(notes.setup, length.other) if notes and notes.setup else None
        return self.model_copy(
            update={
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


def compared(agent: str, entry: CapabilityEntry | None, relevant: Sequence[RelevantStatement]) -> ComparedAgent:
    """Return one agent's line in full."""
    if entry is None:
        return ComparedAgent(agent=agent, documented=False)
    told = {said.statement for said in relevant}
    notes = entry.implementation_notes
    return ComparedAgent(
        agent=agent,
        available=entry.available,
        tier=entry.tier if entry.available else None,
        maturity_level=entry.maturity_level if entry.available else None,
        terminology=entry.terminology,
        relevant=list(relevant),
        limitations=[text for text in entry.limitations if text not in told],
        implementation_notes=ShortNotes(setup=notes.setup, start_url=notes.start_url)
        if entry.available and notes
        else None,
    )


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


class CompareAnswer(Understood):
    """Answer of `compare_capability`."""

    capability: str | None = None
    comparison: list[ComparedAgent] | None = None


def compare(service: Service, request: CompareRequest) -> CompareAnswer:
    """Match the phrase to a capability, and show what each agent offers for it."""
    agents = list(dict.fromkeys(service.agent(agent) for agent in request.agents or service.catalog.agents))
    result = service.match(request.capability)
    if result.decision != "resolved":
        return CompareAnswer(**unresolved(service.catalog, result))
    name = result.matches[0].name
    lines = [
        compared(agent, service.catalog.entry(agent, name), relevant(service, result, agent, name)) for agent in agents
    ]
    understood = resolved(result)
    understood["hint"] = " ".join(filter(None, [understood["hint"], _warning(lines)])) or None
    return CompareAnswer(capability=name, comparison=fitting(lines), **understood)


def _warning(lines: Sequence[ComparedAgent]) -> str | None:
    """Return which agents have the capability with a limitation that bears on the caller's words."""
    limited = [line.agent for line in lines if line.available and caution(line.relevant)]
    return HINT_LIMITED.format(", ".join(limited)) if limited else None


TOOL = ServiceTool(
    name="compare_capability",
    title="Compare a capability",
    family="core",
    description=(
        "Compare AI coding agents on one capability, in any wording: who has it, plan, maturity, limitations, setup."
    ),
    docs=(
        "Give one need and, if only some agents matter, their ids. Each agent has one line: availability, lowest plan, "
        "maturity, its own term, limitations, setup and start URL. `relevant` has the statements of its entry that "
        "bear on the phrase: available with a limitation there can mean that it does not do what was asked, and `hint` "
        "names such agents. Long limitations are shortened and end in an ellipsis. An agent with `available: false` "
        "was looked up and lacks it; one with `documented: false` is not covered by the catalog. lookup_capability has "
        "the depth for one agent."
    ),
    request=CompareRequest,
    answer=CompareAnswer,
    handler=compare,
    known=lambda service: {"agents": list(service.catalog.agents)},
)
