"""The tools, in the order in which they are listed. A new tool is its module and one line here."""

from server.tools import (
    call_tool,
    capabilities,
    catalog_status,
    compare_capability,
    explain_match,
    feature_parity,
    get_sources,
    list_capabilities,
    load_family,
    lookup_capability,
    match_capability,
    recommend_agent,
    smart_load,
)
from server.tools.definition import Tool

TOOLS: tuple[Tool, ...] = (
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
