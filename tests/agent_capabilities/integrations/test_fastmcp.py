"""The search in a server of FastMCP."""

from typing import Any

import pytest

pytest.importorskip("fastmcp")
from fastmcp import Client, FastMCP

from agent_capabilities.integrations.fastmcp import SemanticSearch
from tests.agent_capabilities.integrations.tools import DESCRIPTIONS, NEEDS

pytestmark = pytest.mark.anyio


def server(**options: Any) -> FastMCP:
    made = FastMCP("tools")

    def work(what: str) -> str:
        return f"did {what}"

    for name, description in DESCRIPTIONS.items():
        made.tool(work, name=name, description=description)
    made.add_transform(SemanticSearch(**options))
    return made


async def searched(client: Client[Any], query: str) -> dict[str, Any]:
    found: dict[str, Any] = (await client.call_tool("search_tools", {"query": query})).structured_content or {}
    return found


async def test_the_search_takes_the_place_of_the_tools_but_for_those_that_stay_visible() -> None:
    async with Client(server(always_visible=["send_mail"])) as client:
        names = [tool.name for tool in await client.list_tools()]
    assert names == ["send_mail", "search_tools", "call_tool"]


async def test_a_search_answers_with_its_decision_the_tools_and_what_to_do() -> None:
    async with Client(server(max_results=2)) as client:
        for need, name in NEEDS.items():
            found = await searched(client, need)
            assert [tool["name"] for tool in found["tools"]][:1] == ([name] if name else []), need
            assert (found["decision"] == "no_match") == (name is None)
            assert len(found["tools"]) <= 2
            assert found["hint"]
            assert all("inputSchema" in tool for tool in found["tools"])
        assert (await searched(client, ""))["decision"] == "no_match"


async def test_a_found_tool_can_be_called() -> None:
    async with Client(server()) as client:
        result = await client.call_tool("call_tool", {"name": "create_issue", "arguments": {"what": "it"}})
    assert "did it" in str(result.content)
