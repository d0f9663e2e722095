"""The tools that answer from a catalog: the registered ones, of whatever service is live."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from server.matching.phrase_service import LiveService, PhraseService
from server.tools.families import AGENT_FAMILIES, CORE, META
from server.toolset import registry
from server.toolset.source import Offer
from server.toolset.tool_matcher import ToolMatcher


class CatalogTools:
    """The source of `serve`: the tools registered now. A reload can change their examples, but not their list."""

    changes = False

    def __init__(self, live: LiveService[Any], dynamic: bool) -> None:
        """Offer the tools of the service in `live`; with `dynamic` also those that load others."""
        self._live = live
        self._dynamic = dynamic
        self._matcher = ToolMatcher(registry.TOOLS, live.current.loader)

    def offer(self) -> Offer:
        """The tools of the current service."""
        return offered(self._live.current, self._matcher, self._dynamic)

    def prepare(self, delay: float) -> None:
        """Load the matcher in the background."""
        self._live.current.matchers.start(delay)

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Do nothing: the list never changes."""


def offered(service: PhraseService, matcher: ToolMatcher, dynamic: bool) -> Offer:
    """The registered tools that answer from a service.

    Args:
        service: answers the calls.
        matcher: finds the tools.
        dynamic: with the tools that load others.
    """
    tools = tuple(tool for tool in registry.tools_for(service) if dynamic or tool.family != META)
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
