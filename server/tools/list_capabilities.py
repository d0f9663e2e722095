"""`list_capabilities`: what does an agent have, or what is in a category?"""

from typing import Annotated

from pydantic import Field

from server.catalog.models import Tier
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import Answer
from server.tools.definition import Name, Request, ServiceTool


class ListRequest(Request):
    """Arguments of `list_capabilities`; at least one is needed."""

    agent: Annotated[Name | None, Field(description="claude-code, copilot-cli, gemini-cli or vscode-copilot")] = None
    category: Annotated[Name | None, Field(description="such as security, customization, observability")] = None


class ListedCapability(Answer):
    """One capability of one agent."""

    agent: str | None = None
    name: str
    category: str
    tier: Tier | None = None
    available: bool


class ListAnswer(Answer):
    """Answer of `list_capabilities`."""

    agent: str | None = None
    category: str | None = None
    capabilities: list[ListedCapability]


def list_(service: Service, request: ListRequest) -> ListAnswer:
    """List what the data say about an agent, a category, or both."""
    catalog = service.catalog
    if not request.agent and not request.category:
        raise CallerError(
            f"list_capabilities got no filter; give an agent ({', '.join(catalog.agents)}), a category "
            f"({', '.join(catalog.categories)}) or both; call again with one of them"
        )
    agent = service.agent(request.agent) if request.agent else None
    category = catalog.category(request.category) if request.category else None
    chosen = [agent] if agent else list(catalog.agents)
    listed = [
        ListedCapability(
            agent=None if agent else id_,
            name=capability.name,
            category=capability.category,
            tier=entry.tier,
            available=entry.available,
        )
        for id_ in chosen
        for capability in catalog.capabilities
        if category in (None, capability.category) and (entry := catalog.entry(id_, capability.name))
    ]
    return ListAnswer(agent=agent, category=category, capabilities=listed)


TOOL = ServiceTool(
    name="list_capabilities",
    title="List capabilities",
    family="core",
    description=(
        "List capabilities of an AI coding agent (claude-code, copilot-cli, gemini-cli, vscode-copilot), of a "
        "category, or both: name, category, plan, availability."
    ),
    docs=(
        "Give an agent, a category, or both. The list is short on purpose; lookup_capability has setup and sources. "
        "With a category alone every line names its agent. Those that an agent was found to lack are listed with "
        "`available: false`."
    ),
    request=ListRequest,
    answer=ListAnswer,
    handler=list_,
)
