"""`lookup_capability`: what can this agent do for that need?"""

from typing import Annotated, Literal

from pydantic import Field

from server.answers import Answer, SourceNote, Understood, resolved, source_notes, unresolved
from server.catalog.models import CapabilityEntry, ImplementationNotes, MaturityLevel, Tier
from server.service import Service
from server.tools.definition import Request, Tool, from_service


class LookupRequest(Request):
    """Arguments of `lookup_capability`."""

    agent: Annotated[str, Field(description="claude-code, copilot-cli, gemini-cli or vscode-copilot")]
    capability: Annotated[str, Field(description="a capability's name, or any phrase for one need")]


class Notes(Answer):
    """How to start using a capability."""

    setup: str | None = None
    config_file: str | None = None
    start_url: str | None = None
    gotchas: list[str] | None = None


class CapabilityDetail(Answer):
    """Everything the catalog says of one capability for one agent."""

    name: str
    category: str
    available: bool | None = None
    tier: Tier | None = None
    maturity_level: MaturityLevel | None = None
    terminology: str | None = None
    description: str | None = None
    limitations: list[str] | None = None
    requirements: list[str] | None = None
    implementation_notes: Notes | None = None
    sources: list[SourceNote] | None = None


class LookupAnswer(Understood):
    """Answer of `lookup_capability`."""

    agent: str
    documented: Literal[False] | None = None
    capability: CapabilityDetail | None = None


def lookup(service: Service, request: LookupRequest) -> LookupAnswer:
    """Find what a phrase means, and what the agent offers of it."""
    agent = service.agent(request.agent)
    result = service.match(request.capability)
    if result.decision != "resolved":
        return LookupAnswer(agent=agent, **unresolved(service.catalog, result, agent))
    name = result.matches[0].name
    entry = service.catalog.entry(agent, name)
    return LookupAnswer(
        agent=agent,
        documented=False if entry is None else None,
        capability=detail(name, service.catalog.by_name[name].category, entry),
        **resolved(result),
    )


def detail(name: str, category: str, entry: CapabilityEntry | None) -> CapabilityDetail:
    """An entry as lookup shows it; name and category alone where the data say nothing."""
    if entry is None:
        return CapabilityDetail(name=name, category=category)
    return CapabilityDetail(
        name=name,
        category=category,
        available=entry.available,
        tier=entry.tier,
        maturity_level=entry.maturity_level,
        terminology=entry.terminology,
        description=entry.description or None,
        limitations=list(entry.limitations) or None,
        requirements=list(entry.requirements) or None,
        implementation_notes=_notes(entry.implementation_notes),
        sources=source_notes(entry.sources) or None,
    )


def _notes(notes: ImplementationNotes | None) -> Notes | None:
    if notes is None:
        return None
    return Notes(
        setup=notes.setup,
        config_file=notes.config_file,
        start_url=notes.start_url,
        gotchas=list(notes.gotchas) or None,
    )


TOOL = Tool(
    name="lookup_capability",
    title="Look up a capability",
    family="core",
    description=(
        "What one AI coding agent (claude-code, copilot-cli, gemini-cli, vscode-copilot) offers for a capability in "
        "any wording: availability, plan, setup, sources."
    ),
    docs=(
        "Give the agent and one need, as a capability's name or in the user's own words. A resolved answer has the "
        "capability with setup, config file, gotchas, start URL and dated sources; `match` says how the phrase was "
        "understood and how sure that is. An ambiguous one has up to three candidates with their availability for the "
        "agent. `documented: false` means that the catalog says nothing, which is not the same as unavailable."
    ),
    request=LookupRequest,
    answer=LookupAnswer,
    handler=from_service(lookup),
)
