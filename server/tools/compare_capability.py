"""`compare_capability`: how do the agents compare on one need?"""

from typing import Annotated

from pydantic import Field

from server.catalog.models import CapabilityEntry
from server.matching.service import Service
from server.tools.answers import Answer, Standing, Understood, resolved, unresolved
from server.tools.definition import MOST_AGENTS, Name, Request, ServiceTool


class CompareRequest(Request):
    """Arguments of `compare_capability`."""

    capability: Annotated[str, Field(description="a capability's name, or any phrase for one need")]
    agents: Annotated[
        list[Name] | None, Field(max_length=MOST_AGENTS, description="agents to compare; all when left out")
    ] = None


class ShortNotes(Answer):
    """The minimum needed to start using a capability."""

    setup: str | None = None
    start_url: str | None = None


class ComparedAgent(Standing):
    """One agent's standing; only `agent` and `available` if it lacks the capability."""

    agent: str
    implementation_notes: ShortNotes | None = None


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
    return CompareAnswer(
        capability=name,
        comparison=[compared(agent, service.catalog.entry(agent, name)) for agent in agents],
        **resolved(result),
    )


def compared(agent: str, entry: CapabilityEntry | None) -> ComparedAgent:
    """One agent's line of a comparison."""
    if entry is None:
        return ComparedAgent(agent=agent, documented=False)
    if not entry.available:
        return ComparedAgent(agent=agent, available=False)
    notes = entry.implementation_notes
    return ComparedAgent(
        agent=agent,
        available=True,
        tier=entry.tier,
        maturity_level=entry.maturity_level,
        implementation_notes=ShortNotes(setup=notes.setup, start_url=notes.start_url) if notes else None,
    )


TOOL = ServiceTool(
    name="compare_capability",
    title="Compare a capability",
    family="core",
    description=(
        "Compare one capability, in any wording, across AI coding agents (claude-code, copilot-cli, gemini-cli, "
        "vscode-copilot): availability, plan, maturity, setup."
    ),
    docs=(
        "Give one need and, if only some agents matter, their ids. Each agent has one line: availability, lowest plan, "
        "maturity, setup and start URL. An agent with `available: false` was looked up and lacks it; one with "
        "`documented: false` is not covered by the catalog. lookup_capability has the depth for one agent."
    ),
    request=CompareRequest,
    answer=CompareAnswer,
    handler=compare,
)
