"""`compare_capability`: how do the agents compare on one need?"""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from server.matching.service import Service
from server.tools.answers import Understood, resolved, unresolved
from server.tools.compared import ComparedAgent, compared, fitting
from server.tools.definition import MOST_AGENTS, Name, Request, ServiceTool
from server.tools.limits import caution
from server.tools.relevant import relevant

HINT_LIMITED: Final = "Available, but see relevant for {}: it may not do what was asked."


class CompareRequest(Request):
    """Arguments of `compare_capability`."""

    capability: Annotated[str, Field(description="a capability's name, or any phrase for one need")]
    agents: Annotated[
        list[Name] | None, Field(max_length=MOST_AGENTS, description="agents to compare; all when left out")
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
    """Which agents have the capability with a limitation that bears on the caller's words."""
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
