from pathlib import Path

from server.matching.service import Service, open_service
from tests.server.calls import answer
from tests.toy import ToyEncoder, entry, write_data

TOOL = "compare_capability"
NOTES = {"setup": "start Checkpoints", "startUrl": "https://example.com/start"}


def test_all_agents_are_compared_when_none_is_named(service: Service) -> None:
    found = answer(service, TOOL, {"capability": "Checkpoints"})
    shared = {"verdict": "yes", "available": True, "maturityLevel": "stable", "implementationNotes": NOTES}
    assert found == {
        "decision": "resolved",
        "capability": "Checkpoints",
        "comparison": [
            {"agent": "claude-code", "tier": "pro", **shared},
            {"agent": "gemini-cli", "tier": "free", **shared},
        ],
    }


def test_an_agent_that_lacks_it_has_what_it_lacks_and_no_more(service: Service) -> None:
    found = answer(service, TOOL, {"capability": "MCP Support", "agents": ["gemini-cli"]})
    lacking = {"verdict": "no", "because": "MCP Support of this agent", "available": False}
    assert found["comparison"] == [{"agent": "gemini-cli", **lacking}]


def test_limitations_and_the_agents_own_term_are_shown(tmp_path: Path) -> None:
    said = {"terminology": "Rewind", "limitations": ["only files", "only text"]}
    for offered in (True, False):
        entries = [entry("Checkpoints", "agent-orchestration", available=offered, **said)]
        agents = {"a": {"agent": {"name": "a"}, "capabilities": entries}}
        service = open_service(write_data(tmp_path / str(offered), agents), lambda threads: ToyEncoder())
        (line,) = (answer(service, TOOL, {"capability": "Checkpoints"}))["comparison"]
        assert line["available"] is offered
        told = ("yes", "only files") if offered else ("no", "Checkpoints of this agent")
        assert (line["verdict"], line["because"]) == told
        left = ["only text"] if offered else said["limitations"]
        assert {name: line[name] for name in said} == said | {"limitations": left}


def test_an_agent_of_which_nothing_is_known_is_not_documented(service: Service) -> None:
    found = answer(service, TOOL, {"capability": "Vision", "agents": ["claude-code"]})
    assert found["comparison"] == [{"agent": "claude-code", "verdict": "undocumented", "documented": False}]


def test_agents_come_in_the_order_asked_and_once(service: Service) -> None:
    arguments = {"capability": "Checkpoints", "agents": ["gemini", "claude", "Gemini CLI"]}
    found = answer(service, TOOL, arguments)
    assert [line["agent"] for line in found["comparison"]] == ["gemini-cli", "claude-code"]


def test_a_phrase_is_answered_with_how_it_was_understood(service: Service) -> None:
    found = answer(service, TOOL, {"capability": "put outside tools into it"})
    assert (found["capability"], found["match"]["matchedBy"]) == ("MCP Support", "embedding")


def test_an_unsure_phrase_has_candidates_without_standing(service: Service) -> None:
    for phrase, decision in [("history", "ambiguous"), ("zzz qqq", "no_match")]:
        found = answer(service, TOOL, {"capability": phrase})
        assert set(found) == {"decision", "query", "matches", "hint"}
        assert found["decision"] == decision
        assert set(found["matches"][0]) == {"name", "category", "matchConfidence"}
