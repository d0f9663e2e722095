"""`feature_parity`: who has what, differences first."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from server.catalog.models import Access, CapabilityEntry, Tier
from server.catalog.plans import Means, access_words, plan_words
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer
from server.tools.categories import CategoryReading, category
from server.tools.definition import ACCESS_NAMES, MAX_AGENTS, Name, Plan, Request, ServiceTool

UNAVAILABLE: Final = "unavailable"
UNDOCUMENTED: Final = "undocumented"
AVAILABLE: Final = "available"
NOT_ON: Final = "not on"

Difference = Literal["availability", "plan", "maturity"]
KINDS: Final[tuple[Difference, ...]] = get_args(Difference)
Place = Literal["missing", "unique", "different", "everywhere", "nowhere", "undocumented"]
Entries = Mapping[str, CapabilityEntry | None]
"""Entries of one capability, by agent."""


class ParityRow(Answer):
    """One capability, how the agents differ, and each agent's cell."""

    name: str
    category: str | None = None
    differs: Annotated[list[Difference] | None, AbsentIfEmpty] = None
    agents: dict[str, str]


def place(entries: Entries, means: Means, agent: str | None) -> Place:
    """Return the list that a capability belongs to.

    Args:
        entries: what the data say of it.
        means: what counts as available.
        agent: the one that is compared with the others; None if all are compared with each other.
    """
    having = [id_ for id_, entry in entries.items() if entry is not None and means.open(entry)]
    if not having:
        return "nowhere" if any(entry is not None for entry in entries.values()) else "undocumented"
    if agent and agent not in having:
        return "missing"
    if agent and having == [agent] and len(entries) > 1:
        return "unique"
    return "different" if differences(entries, means) else "everywhere"


def differences(entries: Entries, means: Means) -> list[Difference]:
    """Return how the agents differ; a plan or level of maturity that is not known differs from none.

    With means, plans differ only where these open the capability of one agent and not that of another.
    """
    available = [entry for entry in entries.values() if entry is not None and entry.available]
    inside = [entry for entry in available if means.open(entry)]
    needed = {plan_words(entry.tier, entry.access) for entry in available} - {""}
    plans = {means.open(entry) for entry in available} if means.limited else needed
    kinds: dict[Difference, bool] = {
        "availability": 0 < len(available) < len(entries),
        "plan": len(plans) > 1,
        "maturity": len({entry.maturity_level for entry in inside if entry.maturity_level}) > 1,
    }
    return [kind for kind, differ in kinds.items() if differ]


def row(name: str, category: str | None, entries: Entries, means: Means) -> ParityRow:
    """Return a capability's row; cells have the maturity only where that differs."""
    differs = differences(entries, means)
    return ParityRow(
        name=name,
        category=category,
        differs=differs,
        agents={agent: _cell(entry, means, maturity="maturity" in differs) for agent, entry in entries.items()},
    )


def order(shown: ParityRow) -> tuple[int, int]:
    """Sorts by the kind of difference: who lacks it, the fewest first, then who needs another plan, then maturity."""
    first = (shown.differs or KINDS)[0]
    lacking = sum(cell.startswith((UNAVAILABLE, UNDOCUMENTED, NOT_ON)) for cell in shown.agents.values())
    return KINDS.index(first), lacking


def _cell(entry: CapabilityEntry | None, means: Means, *, maturity: bool) -> str:
    if entry is None:
        return UNDOCUMENTED
    if not entry.available:
        return UNAVAILABLE
    needed = plan_words(entry.tier, entry.access)
    if not means.open(entry):
        asked = " or ".join(filter(None, [means.tier, access_words(means.access)]))
        return f"{NOT_ON} {asked}, needs {needed or 'another plan'}"
    plan = AVAILABLE if means.limited or not needed else needed
    return f"{plan}, {entry.maturity_level}" if maturity and entry.maturity_level else plan


class ParityRequest(Request):
    """Arguments of `feature_parity`; one that is left out does not filter."""

    category: Annotated[Name | None, Field(description="a category, or a phrase for one")] = None
    tier: Annotated[Plan | None, Field(description="highest plan that counts")] = None
    access: Annotated[Name | None, Field(description="what opens it without a plan counts, too: " + ACCESS_NAMES)] = (
        None
    )
    agents: Annotated[
        list[Name] | None,
        Field(max_length=MAX_AGENTS, description="agents to compare, all when left out; one: against all others"),
    ] = None


class ParityAnswer(Answer):
    """Answer of `feature_parity`; `agent`, `missing` and `unique` are there if one agent was asked for.

    `agents` are all that are laid side by side. `understood` is present if the category was not called by its name.
    """

    agent: str | None = None
    category: str | None = None
    understood: CategoryReading | None = None
    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    agents: list[str]
    missing: list[ParityRow] | None = None
    unique: list[ParityRow] | None = None
    different: list[ParityRow]
    everywhere: Annotated[list[str] | None, AbsentIfEmpty] = None
    nowhere: Annotated[list[str] | None, AbsentIfEmpty] = None
    undocumented: Annotated[list[str] | None, AbsentIfEmpty] = None


def parity(service: Service, request: ParityRequest) -> ParityAnswer:
    """Lay the agents side by side: capabilities in which they differ, then those that all have alike."""
    catalog = service.catalog
    name, understood = category(service, request.category) if request.category else (None, None)
    means = Means.of(request.tier, request.access)
    asked = list(dict.fromkeys(service.agent(agent) for agent in request.agents or catalog.agents))
    agent = asked[0] if request.agents and len(asked) == 1 else None
    agents = [agent, *(other for other in catalog.agents if other != agent)] if agent else asked
    rows: dict[Place, list[ParityRow]] = {}
    for capability in catalog.capabilities:
        if name in (None, capability.category):
            entries = {id_: catalog.entry(id_, capability.name) for id_ in agents}
            shown = row(capability.name, None if name else capability.category, entries, means)
            rows.setdefault(place(entries, means, agent), []).append(shown)
    return ParityAnswer(
        agent=agent,
        category=name,
        understood=understood,
        tier=means.tier,
        access=list(means.access),
        agents=agents,
        missing=rows.get("missing", []) if agent else None,
        unique=rows.get("unique", []) if agent else None,
        different=sorted(rows.get("different", []), key=order),
        everywhere=[each.name for each in rows.get("everywhere", [])],
        nowhere=[each.name for each in rows.get("nowhere", [])],
        undocumented=[each.name for each in rows.get("undocumented", [])],
    )


TOOL = ServiceTool(
    name="feature_parity",
    title="Feature parity",
    family="decide",
    description=(
        "Table of all capabilities by AI coding agents, differences first: who has, lacks or alone has what, by "
        "category or tier (free, pro, business or enterprise); what one agent misses. Not for one capability."
    ),
    docs=(
        "Everything is optional: a category, a highest plan, the agents to lay side by side. `different` has the "
        "capabilities in which they differ, the greatest differences first, and `differs` says how: in availability "
        "(what the fewest lack first), plan or maturity. By name alone, `everywhere` has those that all have "
        "alike, `nowhere` those that none has within that plan, `undocumented` those of which the catalog says "
        "nothing. A single agent is compared with all others: `missing` has what others have and it lacks, `unique` "
        "what it alone has. A cell is what the agent needs (`pro or own key`: no plan is needed with your own key), or "
        "with `tier` or `access` whether that opens it; unavailable (looked for and not there) or undocumented."
    ),
    request=ParityRequest,
    answer=ParityAnswer,
    handler=parity,
    known=lambda service: {"category": service.catalog.categories, "agents": list(service.catalog.agents)},
)
