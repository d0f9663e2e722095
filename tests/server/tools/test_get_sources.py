import pytest

from server.matching.service import Service
from tests.server.calls import answer

TOOL = "get_sources"
PAGE = {
    "url": "https://example.com/docs",
    "description": "the page",
    "verifiedDate": "2026-08-22",
    "status": "active",
}


def test_an_agent_has_the_sources_of_all_its_entries_in_short(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code"})
    short = {name: value for name, value in PAGE.items() if name != "description"}
    assert found["agent"] == "claude-code"
    assert found["sources"] == [{"capability": "Checkpoints", **short}, {"capability": "MCP Support", **short}]
    assert "decision" not in found


def test_a_capability_has_the_sources_of_all_agents(service: Service) -> None:
    found = answer(service, TOOL, {"capability": "mcp"})
    assert (found["decision"], found["capability"]) == ("resolved", "MCP Support")
    assert [source["agent"] for source in found["sources"]] == ["claude-code", "gemini-cli"]


def test_agent_and_capability_narrow_each_other(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "gemini", "capability": "Vision"})
    assert found["sources"] == [{"agent": "gemini-cli", "capability": "Vision", **PAGE}]


def test_nothing_documented_is_an_empty_list(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code", "capability": "Vision"})
    assert found["sources"] == []


def test_a_phrase_is_answered_with_how_it_was_understood(service: Service) -> None:
    found = answer(service, TOOL, {"capability": "restore what was there"})
    assert (found["capability"], found["match"]["matchedBy"]) == ("Checkpoints", "embedding")


def test_an_unsure_phrase_has_candidates_and_no_sources(subtests: pytest.Subtests, service: Service) -> None:
    for phrase, decision, count in [("history", "ambiguous", 2), ("zzz qqq", "no_match", 3)]:
        with subtests.test(phrase=phrase, decision=decision, count=count):
            found = answer(service, TOOL, {"agent": "gemini", "capability": phrase})
            assert (found["agent"], found["decision"], len(found["matches"])) == ("gemini-cli", decision, count)
            assert "sources" not in found
