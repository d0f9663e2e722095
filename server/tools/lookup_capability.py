"""`lookup_capability`: what does an agent offer for a need?"""

from typing import Annotated, Final, Literal

from pydantic import Field

from server.catalog.models import CapabilityEntry, MaturityLevel, Tier
from server.matching.service import Service
from server.tools.answers import (
    AbsentIfEmpty,
    Answer,
    Horizon,
    Relevants,
    SourceNote,
    Understood,
    horizon,
    resolved,
    unresolved,
)
from server.tools.definition import Name, Request, ServiceTool
from server.tools.evidence import relevant, with_relevant

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


class CapabilityDetail(Answer):
    """Everything the catalog says about one capability of one agent."""

    name: str
    category: str
    available: bool | None = None
    tier: Tier | None = None
    maturity_level: MaturityLevel | None = None
    terminology: str | None = None
    description: Annotated[str | None, AbsentIfEmpty] = None
    limitations: Annotated[list[str] | None, AbsentIfEmpty] = None
    requirements: Annotated[list[str] | None, AbsentIfEmpty] = None
    implementation_notes: Notes | None = None
    sources: Annotated[list[SourceNote] | None, AbsentIfEmpty] = None


class LookupAnswer(Understood):
    """Answer of `lookup_capability`."""

    agent: str
    as_of: Horizon | None = None
    documented: Literal[False] | None = None
    relevant: Relevants = None
    capability: CapabilityDetail | None = None


def lookup(service: Service, request: LookupRequest) -> LookupAnswer:
    """Match the phrase to a capability, and show what the agent offers for it."""
    agent = service.agent(request.agent)
    as_of = horizon(service.catalog.agents[agent].as_of)
    result = service.match_for(agent, request.capability)
    if result.decision != "resolved":
        fields = unresolved(service.catalog, result, agent)
        fields["matches"] = [with_relevant(service, result, agent, candidate) for candidate in fields["matches"]]
        return LookupAnswer(agent=agent, as_of=as_of, **fields)
    name = result.matches[0].name
    entry = service.catalog.entry(agent, name)
    return LookupAnswer(
        agent=agent,
        as_of=as_of,
        documented=False if entry is None else None,
        relevant=relevant(service, result, agent, name),
        capability=detail(name, service.catalog.by_name[name].category, entry),
        **resolved(result),
    )


def detail(name: str, category: str, entry: CapabilityEntry | None) -> CapabilityDetail:
    """Return an entry as lookup shows it; only name and category if the data have no entry."""
    if entry is None:
        return CapabilityDetail(name=name, category=category)
    return CapabilityDetail.model_validate(entry).model_copy(update={"name": name, "category": category})


TOOL = ServiceTool(
    name="lookup_capability",
    title="Look up a capability",
    family="core",
    description=(
        "What one AI coding agent offers for a capability in any wording: availability, plan, limitations, setup, "
        "sources."
    ),
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
