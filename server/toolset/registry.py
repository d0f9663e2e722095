"""The tools, in the order in which they are listed. To add one for agents, write its module and add a line here."""

from server.matching.label_service import LabelService
from server.matching.phrase_service import PhraseService
from server.matching.store_service import StoreService
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
from server.tools.labels.tools import label_tools
from server.tools.meta import call_tool, capabilities, load_family, smart_load
from server.tools.meta.definition import SessionTool

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


def tools_for(service: PhraseService) -> tuple[ServiceTool | SessionTool, ...]:
    """The tools that answer from a service: those of the agents' catalog, or those of any other catalog of labels."""
    if isinstance(service, LabelService):
        return label_tools(service.book)
    if isinstance(service, StoreService):
        return label_tools(None)
    return tuple(tool.for_service(service) if isinstance(tool, ServiceTool) else tool for tool in TOOLS)
