from typing import Any

import pytest

from server.matching.service import Service
from tests.server.calls import MODES, error

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]

AGENTS = "claude-code, gemini-cli"
CATEGORIES = "agent-orchestration, api-integration, performance"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("lookup_capability", {"agent": "gemimi-clo", "capability": "Vision"}),
        ("compare_capability", {"agents": ["claude", "gemimi-clo"], "capability": "Vision"}),
        ("list_capabilities", {"agent": "gemimi-clo"}),
        ("get_sources", {"agent": "gemimi-clo"}),
    ],
)
async def test_an_unknown_agent_names_the_known_ones_and_the_nearest(
    service: Service, mode: str, tool: str, arguments: dict[str, Any]
) -> None:
    message = await error(service, mode, tool, arguments)
    assert "'gemimi-clo'" in message
    assert "nearest: gemini-cli" in message
    assert f"known agents: {AGENTS}" in message


@pytest.mark.parametrize("category", ["zzz qqq", "  "])
async def test_a_category_that_is_not_clear_names_the_known_ones(service: Service, mode: str, category: str) -> None:
    message = await error(service, mode, "list_capabilities", {"category": category})
    assert repr(category) in message
    assert f"known: {CATEGORIES}" in message
    assert "call again with a known category" in message.lower()


@pytest.mark.parametrize("arguments", [{}, {"agent": "", "category": ""}])
async def test_a_list_without_a_filter_names_what_could_be_one(
    service: Service, mode: str, arguments: dict[str, Any]
) -> None:
    message = await error(service, mode, "list_capabilities", arguments)
    assert AGENTS in message
    assert CATEGORIES in message
    assert "a category alone lists all agents, and compare_capability has all agents on one need" in message


async def test_sources_without_a_filter_name_what_could_be_one(service: Service, mode: str) -> None:
    message = await error(service, mode, "get_sources", {})
    assert AGENTS in message
    assert "a capability alone has the sources of all agents, and compare_capability their facts" in message


@pytest.mark.parametrize("tool", ["lookup_capability", "compare_capability", "get_sources"])
@pytest.mark.parametrize("phrase", ["", " \n"])
async def test_a_blank_phrase_is_refused_with_an_example(service: Service, mode: str, tool: str, phrase: str) -> None:
    message = await error(service, mode, tool, {"agent": "claude-code", "capability": phrase})
    assert "blank" in message
    assert "such as 'undo changes'" in message


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"agent": "claude-code"}, "lookup_capability needs the argument 'capability', which is missing"),
        ({"capability": "x", "agent": 3}, "lookup_capability got 3 for 'agent'"),
        ({"capability": None, "agent": "claude-code"}, "lookup_capability got None for 'capability'"),
        ({"capability": ["x"], "agent": "claude-code"}, "lookup_capability got ['x'] for 'capability'"),
    ],
)
async def test_an_argument_that_is_missing_or_of_a_wrong_kind_is_named(
    service: Service, mode: str, arguments: dict[str, Any], told: str
) -> None:
    assert (await error(service, mode, "lookup_capability", arguments)).startswith(told)


async def test_a_wrong_argument_within_a_list_is_named_by_its_place(service: Service, mode: str) -> None:
    message = await error(service, mode, "compare_capability", {"capability": "Vision", "agents": ["claude", 3]})
    assert message.startswith("compare_capability got 3 for 'agents.1'")
