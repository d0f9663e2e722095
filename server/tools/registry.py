"""The tools, in the order in which they are listed. A new tool is its module and one line here."""

from typing import Final

from server.tools import compare_capability, get_sources, list_capabilities, lookup_capability
from server.tools.definition import Tool

TOOLS: Final[tuple[Tool, ...]] = (
    lookup_capability.TOOL,
    compare_capability.TOOL,
    list_capabilities.TOOL,
    get_sources.TOOL,
)

BY_NAME: Final = {tool.name: tool for tool in TOOLS}
