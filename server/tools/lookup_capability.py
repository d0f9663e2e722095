"""`lookup_capability`: what does an agent offer for a need?"""

from typing import Annotated, Final, Literal

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
    Horizon,
    Relevants,
    SourceNote,
    Understood,
    horizon,
    understood,
    unresolved,
)
from server.tools.definition import Name, Request, ServiceTool
from server.tools.evidence import beside, relevant, with_relevant
from server.tools.verdicts import standing

SHOWN_AGENTS: Final = 2
"""Agents that the schema names as examples; that of compare_capability names all."""


class LookupRequest(Request):
    """Arguments of `lookup_capability`."""

    agent: Annotated[Name, Field(description="the agent's id or name")]
    capability: Annotated[str, Field(description="a capability's name, or any phrase for one need")]


class Notes(Answer):
    """How to start using a capability."""

    setup: str | None = None
    config_file: str | None = None
    start_url: str | None = None
    gotchas: Annotated[list[str] | None, AbsentIfEmpty] = None


class CheckNote(Answer):
    """How an entry was checked last: whether the agent was run or pages were read, which release, and when."""

    by: Literal["ran", "read"]
    version: str
    date: str


class CapabilityDetail(Answer):
    """Everything the catalog says about one capability of one agent."""

    name: str
    category: str
    available: bool | None = None
    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    maturity_level: MaturityLevel | None = None
    terminology: str | None = None
    description: Annotated[str | None, AbsentIfEmpty] = None
    limitations: Annotated[list[str] | None, AbsentIfEmpty] = None
    requirements: Annotated[list[str] | None, AbsentIfEmpty] = None
    implementation_notes: Notes | None = None
    checked: CheckNote | None = None
    sources: Annotated[list[SourceNote] | None, AbsentIfEmpty] = None


class EndingStatement(Answer):
    """What holds only until a day or a release."""

    until: str
    statement: str


class FacetAnswer(Answer):
    """The answer to the question that was meant.

    With `opposite`, the caller wants the opposite of the question, and `verdict` is turned to that.
    """

    question: str
    opposite: Literal[True] | None = None
    verdict: Verdict | None = None
    value: str | None = None
    because: str | None = None
    source: str | None = None
    match_confidence: Confidence


class LookupAnswer(Understood):
    """Answer of `lookup_capability`."""

    agent: str
    as_of: Horizon | None = None
    until: list[EndingStatement] | None = None
    documented: Literal[False] | None = None
    answer: FacetAnswer | None = None
    relevant: Relevants = None
    capability: CapabilityDetail | None = None


def lookup(service: Service, request: LookupRequest) -> LookupAnswer:
    """Match the phrase to a capability, and show what the agent offers for it."""
    agent = service.agent(request.agent)
    as_of = horizon(service.catalog.agents[agent].as_of)
    asked = service.ask(request.capability, agent).settled()
    name = asked.capability
    if name is None:
        fields = unresolved(service.catalog, asked.result, agent)
        fields["matches"] = [with_relevant(service, asked.result, agent, each) for each in fields["matches"]]
        return LookupAnswer(agent=agent, as_of=as_of, **fields)
    entry = service.catalog.entry(agent, name)
    answer = _answer(service.catalog.agents[agent], asked)
    return LookupAnswer(
        agent=agent,
        as_of=as_of,
        until=_ending(entry),
        documented=False if entry is None else None,
        answer=answer,
        relevant=beside(answer.because if answer else None, relevant(service, asked.result, agent, name)),
        capability=detail(name, service.catalog.by_name[name].category, entry),
        **understood(asked),
    )


def _answer(agent: Agent, asked: AskedNeed) -> FacetAnswer | None:
    if asked.facet is None:
        return None
    found = standing(agent, asked)
    return FacetAnswer(
        question=asked.facet.facet.question,
        opposite=True if asked.facet.opposite else None,
        verdict=found.verdict,
        value=found.value,
        because=found.because,
        source=found.source,
        match_confidence=round(asked.facet.confidence, 3),
    )


def _ending(entry: CapabilityEntry | None) -> list[EndingStatement] | None:
    """Return what holds only until a day, the whole entry first."""
    if entry is None:
        return None
    whole = [EndingStatement(until=entry.until, statement=entry.name)] if entry.until else []
    return whole + [EndingStatement(until=mark.until or "", statement=mark.text) for mark in entry.ending] or None


def detail(name: str, category: str, entry: CapabilityEntry | None) -> CapabilityDetail:
    """Return an entry as lookup shows it; only name and category if the data have no entry."""
    if entry is None:
        return CapabilityDetail(name=name, category=category)
    return CapabilityDetail.model_validate(entry).model_copy(update={"name": name, "category": category})


TOOL = ServiceTool(
    name="lookup_capability",
    title="Look up a capability",
    family="core",
    description="What one AI coding agent offers for a capability in any wording: plan, limitations, setup, sources.",
    docs=(
        "Give the agent and one need, as a capability's name or in the user's own words. A resolved answer has the "
        "capability with setup, config file, gotchas, start URL and dated sources; `asOf` is the release of the agent "
        "that the facts describe, and the day of the newest page that was read; `relevant` shows at most two "
        "statements that answer the words themselves; `match` says how they were understood and how sure that is. An "
        "ambiguous one has up to three candidates with their availability for the agent. `documented: false` means "
        "that the catalog says nothing, which is not the same as unavailable."
    ),
    request=LookupRequest,
    answer=LookupAnswer,
    handler=lookup,
    known=lambda service: {"agent": list(service.catalog.agents)[:SHOWN_AGENTS]},
)
