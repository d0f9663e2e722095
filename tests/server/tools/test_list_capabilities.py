import pytest

from server.matching.service import Service
from tests.server.calls import MODES, answer

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]
TOOL = "list_capabilities"


async def test_an_agent_is_listed_with_what_it_lacks(service: Service, mode: str) -> None:
    assert await answer(service, mode, TOOL, {"agent": "gemini"}) == {
        "agent": "gemini-cli",
        "capabilities": [
            {"name": "Checkpoints", "category": "agent-orchestration", "tier": "free", "available": True},
            {"name": "MCP Support", "category": "api-integration", "available": False},
            {"name": "Vision", "category": "performance", "tier": "pro", "available": True},
        ],
    }


async def test_a_category_alone_names_the_agent_of_each_line(service: Service, mode: str) -> None:
    assert await answer(service, mode, TOOL, {"category": "Performance"}) == {
        "category": "performance",
        "capabilities": [
            {"agent": "gemini-cli", "name": "Vision", "category": "performance", "tier": "pro", "available": True}
        ],
    }


async def test_agent_and_category_narrow_each_other(service: Service, mode: str) -> None:
    found = await answer(service, mode, TOOL, {"agent": "claude-code", "category": "api-integration"})
    assert [line["name"] for line in found["capabilities"]] == ["MCP Support"]
    assert (found["agent"], found["category"]) == ("claude-code", "api-integration")


async def test_nothing_documented_is_an_empty_list(service: Service, mode: str) -> None:
    found = await answer(service, mode, TOOL, {"agent": "claude-code", "category": "performance"})
    assert found["capabilities"] == []


async def test_it_takes_no_phrase_and_so_has_no_decision(service: Service, mode: str) -> None:
    assert "decision" not in await answer(service, mode, TOOL, {"agent": "gemini"})
