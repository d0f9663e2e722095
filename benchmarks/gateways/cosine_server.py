"""A plain gateway over stdio: the five tools nearest by cosine, whatever is asked: `python -m ... CONFIG`.

It uses our encoder and our connections to upstreams, so that it differs from our gateway by how it finds tools. The
text of a tool is its name in words and its description.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
import numpy as np
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from embeddings.encoder.protocol import TextEncoder
from embeddings.text.words import spoken
from server.gateway.configuration.configurations import read_configurations
from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools
from server.gateway.upstreams.forwarding import Forwarding
from server.gateway.upstreams.pool import UpstreamPool
from server.matching.encoders import load_encoder

RETURNED: Final = 5
_NEED: Final = {"type": "object", "properties": {"need": {"type": "string"}}, "required": ["need"]}
_CALL: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["name"],
}
OWN: Final = [
    types.Tool(name="search_tools", description="Find tools for a need.", input_schema=_NEED),
    types.Tool(name="call_tool", description="Call a tool that search_tools found.", input_schema=_CALL),
]


class CosineGateway:
    """The tools of the upstreams, and their vectors from the first search on."""

    def __init__(self, pool: UpstreamPool) -> None:
        """A gateway over the upstreams of a pool."""
        self._pool = pool
        self._encoder: TextEncoder | None = None
        self._tools: list[GatewayTool] = []

    async def list_tools(self, _: Any, __: Any) -> types.ListToolsResult:
        """List the two tools."""
        return types.ListToolsResult(tools=OWN)

    async def call_tool(self, _: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Search or call."""
        given = params.arguments or {}
        if params.name == "search_tools":
            found = await self._search(given["need"])
            return types.CallToolResult(content=[types.TextContent(type="text", text=json.dumps({"tools": found}))])
        await self._connect()
        tool = next(tool for tool in self._tools if tool.name == given["name"])
        upstream = await self._pool.of(tool.server)
        result = await upstream.call(tool.own_name, given.get("arguments") or {}, Forwarding())
        assert isinstance(result, types.CallToolResult)
        return result

    async def _connect(self) -> None:
        if not self._tools:
            for upstream in self._pool.upstreams.values():
                await upstream.settled()
            self._tools = list(gateway_tools({name: up.tools for name, up in self._pool.upstreams.items()}))

    async def _search(self, need: str) -> list[dict[str, Any]]:
        await self._connect()
        if self._encoder is None:
            await anyio.to_thread.run_sync(self._embed)
        assert self._encoder
        scores = self._vectors @ self._encoder.encode([need])[0]
        return [
            {"name": tool.name, "description": tool.tool.description, "inputSchema": tool.tool.input_schema}
            for tool in (self._tools[row] for row in np.argsort(-scores)[:RETURNED])
        ]

    def _embed(self) -> None:
        encoder = load_encoder(1)
        texts = [f"{spoken(tool.own_name)}: {tool.tool.description}" for tool in self._tools]
        self._vectors = np.concatenate([encoder.encode([text]) for text in texts])
        self._encoder = encoder


async def main() -> None:
    """Serve the upstreams of a configuration until the input ends."""
    pool = UpstreamPool(read_configurations([Path(sys.argv[1])]).upstreams)
    gateway = CosineGateway(pool)
    server: Server[Any] = Server(
        "cosine", version="1", on_list_tools=gateway.list_tools, on_call_tool=gateway.call_tool
    )
    async with anyio.create_task_group() as group:
        group.start_soon(pool.run)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        group.cancel_scope.cancel()


if __name__ == "__main__":
    anyio.run(main)
