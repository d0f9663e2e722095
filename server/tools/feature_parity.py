"""`feature_parity`: who has what, differences first."""

from typing import Annotated, Final

from pydantic import Field

from server.catalog.models import CapabilityEntry, Tier
from server.catalog.plans import known_tier, within
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer
from server.tools.definition import MOST_AGENTS, Name, Request, ServiceTool

UNAVAILABLE: Final = "unavailable"
UNDOCUMENTED: Final = "undocumented"
AVAILABLE: Final = "available"


class ParityRequest(Request):
    """Arguments of `feature_parity`; one that is left out does not filter."""

    category: Annotated[Name | None, Field(description="such as security, customization, observability")] = None
    tier: Annotated[Name | None, Field(description="highest plan: free, pro, business or enterprise")] = None
    agents: Annotated[
        list[Name] | None, Field(max_length=MOST_AGENTS, description="agents to compare; all when left out")
    ] = None


class ParityRow(Answer):
    """One capability: each agent's lowest plan, or why there is none."""

    name: str
    category: str | None = None
    agents: dict[str, str]


class ParityAnswer(Answer):
    """Answer of `feature_parity`."""

    category: str | None = None
    tier: Tier | None = None
    different: list[ParityRow]
    everywhere: list[ParityRow]
    nowhere: Annotated[list[str] | None, AbsentIfEmpty] = None
    undocumented: Annotated[list[str] | None, AbsentIfEmpty] = None


def parity(service: Service, request: ParityRequest) -> ParityAnswer:
    """Lay the agents side by side: capabilities that only some have, then those that all have."""
    catalog = service.catalog
    category = catalog.category(request.category) if request.category else None
    tier = known_tier(request.tier) if request.tier else None
    agents = list(dict.fromkeys(service.agent(agent) for agent in request.agents or catalog.agents))
    different: list[ParityRow] = []
    everywhere: list[ParityRow] = []
    nowhere: list[str] = []
    undocumented: list[str] = []
    for capability in catalog.capabilities:
        if category not in (None, capability.category):
            continue
        entries = {agent: catalog.entry(agent, capability.name) for agent in agents}
        having = sum(entry is not None and within(entry, tier) for entry in entries.values())
        if not having:
            known = any(entry is not None for entry in entries.values())
            (nowhere if known else undocumented).append(capability.name)
            continue
        row = ParityRow(
            name=capability.name,
            category=None if category else capability.category,
            agents={agent: _standing(entry) for agent, entry in entries.items()},
        )
        (everywhere if having == len(agents) else different).append(row)
    return ParityAnswer(
        category=category,
        tier=tier,
        different=different,
        everywhere=everywhere,
        nowhere=nowhere,
        undocumented=undocumented,
    )


def _standing(entry: CapabilityEntry | None) -> str:
    if entry is None:
        return UNDOCUMENTED
    return (entry.tier or AVAILABLE) if entry.available else UNAVAILABLE


TOOL = ServiceTool(
    name="feature_parity",
    title="Feature parity",
    family="decide",
    description=(
        "Table of AI coding agents by capabilities, differences first: who has and who lacks what, by category or up "
        "to a plan (free, pro, business, enterprise)."
    ),
    docs=(
        "Everything is optional: a category, a highest plan, the agents to lay side by side. `different` has the "
        "capabilities that only some of the agents have within that plan, `everywhere` those that all have, `nowhere` "
        "those that none has within that plan, `undocumented` those of which the catalog says nothing for any of them. "
        "Each agent's word is its lowest plan, or available where the plan is not known, "
        "unavailable (looked for on the vendor's pages and not there), or undocumented (the catalog says nothing)."
    ),
    request=ParityRequest,
    answer=ParityAnswer,
    handler=parity,
)
