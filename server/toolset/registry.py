"""The tools, in the order in which they are listed. To add one for agents, write its module and add a line here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from server.matching.label_service import LabelService, LiveService
from server.matching.service import Service
from server.tools import (
    catalog_status,
    compare_capability,
    explain_match,
    feature_parity,
    get_sources,
    list_capabilities,
    lookup_capability,
    match_capability,
    recommend_agent,
)
from server.tools.definition import ServiceTool
from server.tools.families import AGENT_FAMILIES, CORE, META
from server.tools.label_tools import label_tools
from server.tools.meta import call_tool, capabilities, load_family, smart_load
from server.tools.meta.session import SessionTool
from server.toolset.source import Offer
from server.toolset.tool_matcher import ToolMatcher

TOOLS: tuple[ServiceTool | SessionTool, ...] = (
    lookup_capability.TOOL,
    compare_capability.TOOL,
    list_capabilities.TOOL,
    get_sources.TOOL,
    match_capability.TOOL,
    explain_match.TOOL,
    recommend_agent.TOOL,
    feature_parity.TOOL,
    catalog_status.TOOL,
    capabilities.TOOL,
    load_family.TOOL,
    smart_load.TOOL,
    call_tool.TOOL,
)


def tools_for(service: LabelService) -> tuple[ServiceTool | SessionTool, ...]:
    """Return the tools that answer from a service: over the agents' catalog, or over any other catalog of labels."""
    if not isinstance(service, Service):
        return label_tools(service.book)
    return tuple(tool.for_service(service) if isinstance(tool, ServiceTool) else tool for tool in TOOLS)


class CatalogTools:
    """The source of `serve`: the tools registered now. A reload can change their examples, but not their list."""

    changes = False

    def __init__(self, live: LiveService[Any], dynamic: bool) -> None:
        """Offer the tools of the service in `live`; with `dynamic` also those that load others."""
        self._live = live
        self._dynamic = dynamic
        self._matcher = ToolMatcher(TOOLS, live.current.loader)
        self._offer: Offer | None = None

    def offer(self) -> Offer:
        """Return the tools of the current service."""
        service, offer = self._live.current, self._offer
        if offer is None or offer.service is not service or not offer.ready:
            offer = self._offer = offered(service, self._matcher, self._dynamic)
        return offer

    def prepare(self, delay: float) -> None:
        """Load the matcher in the background."""
        self._live.current.matchers.start(delay)

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Do nothing: the list never changes."""


def offered(service: LabelService, matcher: ToolMatcher, dynamic: bool) -> Offer:
    """Return the registered tools that answer from a service.

    Args:
        service: answers the calls.
        matcher: finds the tools.
        dynamic: with the tools that load others.
    """
    tools = tuple(tool for tool in tools_for(service) if dynamic or tool.family != META)
    families = {tool.family for tool in tools}
    # A catalog of labels has no core tools: there, whatever it has is always loaded.
    given = frozenset({CORE} if CORE in families else families)
    holdings = {name: held for name, held in AGENT_FAMILIES.holdings.items() if dynamic or name != META}
    return Offer(
        tools=tools,
        families=replace(AGENT_FAMILIES, holdings=holdings, loaded=given, given=given),
        finder=matcher,
        service=service,
        ready=service.matchers.ready,
    )
