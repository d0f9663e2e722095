"""Tools put into an index, and what it finds."""

from collections.abc import Sequence

from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.tool_index import ToolIndex

UNDO, CONNECT = {"undo_edit": "Go back to an earlier file."}, {"connect_tool": "Plug in outside tools."}
MANY = {f"see_{number}": "Look at a picture." for number in range(20)}


def settled(index: ToolIndex, tools: Sequence[GatewayTool]) -> ToolIndex:
    """Return the index, once it has the tools."""
    index.replace(tools)
    assert index.settle(20)
    return index


def best(index: ToolIndex, phrase: str) -> str:
    """Return the id of the tool that it finds first."""
    assert index.matcher is not None
    return index.matcher.match(phrase).matches[0].id
