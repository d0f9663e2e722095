from server.matching.service import Service
from tests.server.calls import answer

TOOL = "lookup_capability"


def test_a_name_is_answered_in_full_without_a_match(service: Service) -> None:
    assert answer(service, TOOL, {"agent": "claude", "capability": "checkpoints"}) == {
        "agent": "claude-code",
        "decision": "resolved",
        "capability": {
            "name": "Checkpoints",
            "category": "agent-orchestration",
            "available": True,
            "tier": "pro",
            "maturityLevel": "stable",
            "description": "Checkpoints of this agent",
            "implementationNotes": {"setup": "start Checkpoints", "startUrl": "https://example.com/start"},
            "sources": [{"url": "https://example.com/docs", "verifiedDate": "2026-08-22"}],
        },
    }


def test_an_alias_needs_no_match(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code", "capability": "rewind"})
    assert found["capability"]["name"] == "Checkpoints"
    assert "match" not in found


def test_a_phrase_is_answered_with_how_it_was_understood(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "gemini", "capability": "restore what was there"})
    assert found["capability"]["name"] == "Checkpoints"
    assert found["match"]["query"] == "restore what was there"
    assert found["match"]["matchedBy"] == "embedding"
    assert 0.8 < found["match"]["matchConfidence"] <= 1


def test_an_ambiguous_phrase_has_candidates_with_their_standing(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code", "capability": "history"})
    assert set(found) == {"agent", "decision", "query", "matches", "hint"}
    assert (found["decision"], found["query"], len(found["matches"])) == ("ambiguous", "history", 2)
    standing = {match["name"]: match for match in found["matches"]}
    assert (standing["Checkpoints"]["available"], standing["Checkpoints"]["tier"]) == (True, "pro")


def test_a_phrase_that_fits_nothing_is_an_answer_with_a_hint(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code", "capability": "zzz qqq"})
    assert (found["decision"], found["matches"][0]["name"]) == ("no_match", "Vision")
    assert "list_capabilities" in found["hint"]
    assert "capability" not in found


def test_an_agent_that_lacks_it_is_shown_with_the_pages_that_were_searched(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "gemini-cli", "capability": "MCP Support"})
    assert found["capability"]["available"] is False
    assert found["capability"]["sources"]
    assert "documented" not in found


def test_an_agent_of_which_nothing_is_known_is_not_documented(service: Service) -> None:
    assert answer(service, TOOL, {"agent": "claude-code", "capability": "Vision"}) == {
        "agent": "claude-code",
        "decision": "resolved",
        "documented": False,
        "capability": {"name": "Vision", "category": "performance"},
    }


def test_undoing_is_checkpoints_with_setup_and_sources(shipped_service: Service) -> None:
    arguments = {"agent": "claude-code", "capability": "can it undo what it did?"}
    found = (answer(shipped_service, TOOL, arguments))["capability"]
    assert found["name"] == "Checkpoints"
    assert found["implementationNotes"]["setup"]
    assert found["sources"][0]["url"].startswith("https://")
