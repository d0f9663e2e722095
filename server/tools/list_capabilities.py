"""`list_capabilities`: what does an agent have, or what is in a category?"""

from typing import Annotated

from pydantic import Field

from server.catalog.catalog import Catalog
from server.catalog.models import Access, Tier
from server.catalog.plans import Means
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer
from server.tools.categories import CategoryReading, category
from server.tools.definition import ACCESS_NAMES, Name, Plan, Request, ServiceTool
from server.tools.paging import page


class ListRequest(Request):
    """Arguments of `list_capabilities`; an agent or a category is needed."""

    agent: Annotated[Name | None, Field(description="an agent's id or name")] = None
    category: Annotated[Name | None, Field(description="a category, or a phrase for one")] = None
    available: Annotated[bool | None, Field(description="only those that the agent has, or only those it lacks")] = None
    tier: Annotated[Plan | None, Field(description="only those available up to this plan")] = None
    access: Annotated[Name | None, Field(description="only what this opens, or `tier` has: " + ACCESS_NAMES)] = None
    cursor: Annotated[Name | None, Field(description="nextCursor of the page before")] = None


class ListedCapability(Answer):
    """One capability of one agent."""

    agent: str | None = None
    name: str
    category: str
    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    available: bool


class ListAnswer(Answer):
    """Answer of `list_capabilities`; `understood` is present if the category was not called by its name."""

    agent: str | None = None
    category: str | None = None
    understood: CategoryReading | None = None
    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    total: int
    capabilities: list[ListedCapability]
    next_cursor: str | None = None


def list_(service: Service, request: ListRequest) -> ListAnswer:
    """List what the data say about an agent, a category, or both."""
    if not request.agent and not request.category:
        raise CallerError(
            "list_capabilities got neither agent nor category; agents: "
            f"{', '.join(service.catalog.agents)}; categories: {', '.join(service.catalog.categories)}; call again "
            "with one of them; a category alone lists all agents, and compare_capability has all agents on one need"
        )
    agent = service.agent(request.agent) if request.agent else None
    name, understood = category(service, request.category) if request.category else (None, None)
    means = Means.of(request.tier, request.access)
    found = listed(service.catalog, agent, name, request.available, means)
    part = page("list_capabilities", found, request.cursor, (agent, name, request.available, means))
    return ListAnswer(
        agent=agent,
        category=name,
        understood=understood,
        tier=means.tier,
        access=list(means.access),
        total=len(found),
        capabilities=part.items,
        next_cursor=part.next_cursor,
    )


def listed(
    catalog: Catalog, agent: str | None, name: str | None, available: bool | None, means: Means
) -> list[ListedCapability]:
    """List the entries, narrowed by each argument that is given; what an agent lacks is open to nobody."""
    return [
        ListedCapability(
            agent=None if agent else id_,
            name=capability.name,
            category=capability.category,
            tier=entry.tier,
            access=list(entry.access),
            available=entry.available,
        )
        for id_ in ([agent] if agent else catalog.agents)
        for capability in catalog.capabilities
        if name in (None, capability.category)
        and (entry := catalog.entry(id_, capability.name))
        and available in (None, entry.available)
        and (not means.limited or available is False or means.open(entry))
    ]


TOOL = ServiceTool(
    name="list_capabilities",
    title="List capabilities",
    family="core",
    description=(
        "List capabilities of an AI coding agent, a category, or both (at least one is needed), optionally up "
        "to a tier (free, pro, business or enterprise)."
    ),
    docs=(
        "Give an agent, a category, or both; `available` and `tier` narrow the list further. A category can be said in "
        "any words; `understood` is there when it was not called by its name. The list is short on purpose; "
        "lookup_capability has setup and sources. With a category alone every line names its agent. Those that an "
        "agent was found to lack are listed with `available: false`, unless a plan is given. A long list has "
        "`nextCursor`: pass it as `cursor`, with the other arguments unchanged. compare_capability has all agents on "
        "one capability."
    ),
    request=ListRequest,
    answer=ListAnswer,
    handler=list_,
    known=lambda service: {"category": service.catalog.categories},
)
