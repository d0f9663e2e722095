from typing import Any

import pytest

from server.matching.service import Service
from tests.server.calls import error

AGENTS = "claude-code, gemini-cli"
CATEGORIES = "agent-orchestration, api-integration, performance"


def test_an_unknown_agent_names_the_known_ones_and_the_nearest(service: Service, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("lookup_capability", {"agent": "gemimi-clo", "capability": "Vision"}),
        ("compare_capability", {"agents": ["claude", "gemimi-clo"], "capability": "Vision"}),
        ("list_capabilities", {"agent": "gemimi-clo"}),
        ("get_sources", {"agent": "gemimi-clo"}),
    ]
    for tool, arguments in cases:
        with subtests.test(tool=tool, arguments=arguments):
            message = error(service, tool, arguments)
            assert "'gemimi-clo'" in message
            assert "nearest: gemini-cli" in message
            assert f"known agents: {AGENTS}" in message


def test_a_category_that_is_not_clear_names_the_known_ones(subtests: pytest.Subtests, service: Service) -> None:
    for category in ["zzz qqq", "  "]:
        with subtests.test(category=category):
            message = error(service, "list_capabilities", {"category": category})
            assert repr(category) in message
            assert f"known: {CATEGORIES}" in message
            assert "call again with a known category" in message.lower()


def test_a_list_without_a_filter_names_what_could_be_one(subtests: pytest.Subtests, service: Service) -> None:
    cases: list[dict[str, Any]] = [{}, {"agent": "", "category": ""}]
    for arguments in cases:
        with subtests.test(arguments=arguments):
            message = error(service, "list_capabilities", arguments)
            assert AGENTS in message
            assert CATEGORIES in message
            assert "a category alone lists all agents, and compare_capability has all agents on one need" in message


def test_sources_without_a_filter_name_what_could_be_one(service: Service) -> None:
    message = error(service, "get_sources", {})
    assert AGENTS in message
    assert "a capability alone has the sources of all agents, and compare_capability their facts" in message


def test_a_blank_phrase_is_refused_with_an_example(service: Service) -> None:
    for tool in ["lookup_capability", "compare_capability", "get_sources"]:
        for phrase in ["", " \n"]:
            message = error(service, tool, {"agent": "claude-code", "capability": phrase})
            assert "blank" in message, (tool, phrase)
            assert "such as 'undo changes'" in message, (tool, phrase)


def test_an_argument_that_is_missing_or_of_a_wrong_kind_is_named(service: Service) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"agent": "claude-code"}, "lookup_capability needs the argument 'capability', which is missing"),
        ({"capability": "x", "agent": 3}, "lookup_capability got 3 for 'agent'"),
        ({"capability": None, "agent": "claude-code"}, "lookup_capability got None for 'capability'"),
        ({"capability": ["x"], "agent": "claude-code"}, "lookup_capability got ['x'] for 'capability'"),
    ]
    for arguments, told in cases:
        assert (error(service, "lookup_capability", arguments)).startswith(told), (arguments, told)


def test_a_wrong_argument_within_a_list_is_named_by_its_place(service: Service) -> None:
    message = error(service, "compare_capability", {"capability": "Vision", "agents": ["claude", 3]})
    assert message.startswith("compare_capability got 3 for 'agents.1'")
