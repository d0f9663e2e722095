"""Checks by a real client of a server in another process."""

from typing import Any, Final

from mcp import Client

CALLS: Final[dict[str, dict[str, Any]]] = {
    "lookup_capability": {"agent": "claude-code", "capability": "Checkpoints"},
    "compare_capability": {"capability": "Checkpoints"},
    "list_capabilities": {"agent": "claude-code"},
    "get_sources": {"agent": "claude-code", "capability": "Checkpoints"},
}


async def four_tools_answer(client: Client) -> None:
    assert [tool.name for tool in (await client.list_tools()).tools] == list(CALLS)
    for tool, arguments in CALLS.items():
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, (tool, result)
        assert result.structured_content
