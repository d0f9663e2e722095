"""Calls of one tool in each way."""

from typing import Any

import mcp_types as types
from mcp import Client

from tests.server.gateway.made_upstreams import Made, Script
from tests.server.gateway.tool_catalog.tools import tool

FULL, BARE, PINNED = "by its full name", "by its bare name", "as a pinned tool"
WAYS = [FULL, BARE, PINNED]
FORM = types.ElicitRequestFormParams(
    message="Which city?", requested_schema={"type": "object", "properties": {"city": {"type": "string"}}}
)


def acting(script: Script, **parts: Any) -> dict[str, Made]:
    return {"far": Made([tool("act", "undo", **parts)], script)}


async def called(client: Client, way: str, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
    if way == PINNED:
        return await client.call_tool("far__act", arguments or {}, **more)
    name = "far__act" if way == FULL else "act"
    return await client.call_tool("call_tool", {"name": name, "arguments": arguments or {}}, **more)
