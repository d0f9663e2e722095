"""The baseline: the SDK's server with one trivial tool and nothing else."""

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
    """List the one tool."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return types.ListToolsResult(tools=[types.Tool(name="echo", description="Says it again", input_schema=schema)])


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Return the text that was sent."""
    text = (params.arguments or {}).get("text", "")
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content={"text": text})


async def main() -> None:
    """Serve over standard input and output."""
    server: Server[Any] = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
