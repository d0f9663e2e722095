"""Tools of made upstreams."""

from typing import Any

import mcp_types

from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools


def tool(name: str, description: str | None = None, **more: Any) -> mcp_types.Tool:
    """Return a tool as an upstream gives it; other parts by their names in the protocol."""
    value = {"name": name, "inputSchema": {"type": "object"}, **more}
    return mcp_types.Tool.model_validate(value if description is None else value | {"description": description})


def offered(server: str = "files", **descriptions: str) -> tuple[GatewayTool, ...]:
    """Return the gateway's tools of one server, by name and description."""
    return gateway_tools({server: [tool(name, text) for name, text in descriptions.items()]})
