"""`feature_parity`: who has what, differences first."""

from typing import Annotated

from pydantic import Field

from server.catalog.models import Tier
from server.catalog.plans import TIERS, known_tier
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer
from server.tools.categories import CategoryReading, category
from server.tools.definition import MOST_AGENTS, Name, Request, ServiceTool
from server.tools.parity_rows import ParityRow, Place, place, row, weight


class ParityRequest(Request):
    """Arguments of `feature_parity`; one that is left out does not filter."""

    category: Annotated[Name | None, Field(description="a category, or a phrase for one")] = None
    tier: Annotated[
        Name | None, Field(examples=list(TIERS), description="highest plan: free, pro, business or enterprise")
    ] = None
    agents: Annotated[
        list[Name] | None,
        Field(max_length=MOST_AGENTS, description="agents to compare, all when left out; one: against all others"),
    ] = None


class ParityAnswer(Answer):
    """Answer of `feature_parity`; `agent`, `missing` and `unique` are there if one agent was asked for.

    `understood` is present if the category was not called by its name.
    """

    agent: str | None = None
    category: str | None = None
    understood: CategoryReading | None = None
    tier: Tier | None = None
    missing: list[ParityRow] | None = None
    unique: list[ParityRow] | None = None
    different: list[ParityRow]
    everywhere: list[ParityRow]
    nowhere: Annotated[list[str] | None, AbsentIfEmpty] = None
    undocumented: Annotated[list[str] | None, AbsentIfEmpty] = None


def parity(service: Service, request: ParityRequest) -> ParityAnswer:
    """Lay the agents side by side: capabilities in which they differ, then those that all have alike."""
    catalog = service.catalog
    name, understood = category(service, request.category) if request.category else (None, None)
    tier = known_tier(request.tier) if request.tier else None
    asked = list(dict.fromkeys(service.agent(agent) for agent in request.agents or catalog.agents))
    agent = asked[0] if request.agents and len(asked) == 1 else None
    agents = [agent, *(other for other in catalog.agents if other != agent)] if agent else asked
    rows: dict[Place, list[ParityRow]] = {}
    for capability in catalog.capabilities:
        if name in (None, capability.category):
            entries = {id_: catalog.entry(id_, capability.name) for id_ in agents}
            shown = row(capability.name, None if name else capability.category, entries, tier)
            rows.setdefault(place(entries, tier, agent), []).append(shown)
    return ParityAnswer(
        agent=agent,
        category=name,
        understood=understood,
        tier=tier,
        missing=rows.get("missing", []) if agent else None,
        unique=rows.get("unique", []) if agent else None,
        different=sorted(rows.get("different", []), key=weight),
        everywhere=rows.get("everywhere", []),
        nowhere=[capability.name for capability in rows.get("nowhere", [])],
        undocumented=[capability.name for capability in rows.get("undocumented", [])],
    )


TOOL = ServiceTool(
    name="feature_parity",
    title="Feature parity",
    family="decide",
    description=(
        "Table of all capabilities by AI coding agents, differences first: who has, lacks or alone has what, by "
        "category or plan; what one agent misses. Not for one capability."
    ),
    docs=(
        "Everything is optional: a category, a highest plan, the agents to lay side by side. `different` has the "
        "capabilities in which they differ, the greatest differences first, and `differs` says how: in availability, "
        "lowest plan or maturity. `everywhere` has those that all have alike, `nowhere` those that none has within "
        "that plan, `undocumented` those of which the catalog says nothing for any of them. A single agent is compared "
        "with all others: `missing` has what others have and it does not, `unique` what it alone has, and the other "
        "lists the rest. Each agent's cell is its lowest plan, or with `tier` whether it is available on that plan; "
        "available where the plan is not known; unavailable (looked for on the vendor's pages and not there), or "
        "undocumented (the catalog says nothing). Where maturity differs, the cell has it, too."
    ),
    request=ParityRequest,
    answer=ParityAnswer,
    handler=parity,
    known=lambda service: {"category": service.catalog.categories, "agents": list(service.catalog.agents)},
)
