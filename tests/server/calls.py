"""Calls through the SDK's in-memory client."""

from typing import Any

from mcp import Client
from mcp_types import CallToolResult, TextContent

from server.matching.service import Service
from server.protocol.server import build_server
from server.toolset.start import Start

MODES = ("legacy", "auto")
"""The legacy protocol, and 2026-07-28."""
MODERN = "auto"
"""The protocol of tests that do not tell the two apart, which are all but those of `protocol` and one for each tool."""


async def call(service: Service, tool: str, arguments: dict[str, Any], *, start: Start | None = None) -> CallToolResult:
    async with Client(build_server(service, start=start), mode=MODERN) as client:
        return await client.call_tool(tool, arguments)


async def answer(
    service: Service, tool: str, arguments: dict[str, Any], *, start: Start | None = None
) -> dict[str, Any]:
    result = await call(service, tool, arguments, start=start)
    assert not result.is_error, text_of(result)
    content: dict[str, Any] | None = result.structured_content
    assert content is not None
    return content


async def error(service: Service, tool: str, arguments: dict[str, Any], *, start: Start | None = None) -> str:
    result = await call(service, tool, arguments, start=start)
    assert result.is_error
    assert result.structured_content is None
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
