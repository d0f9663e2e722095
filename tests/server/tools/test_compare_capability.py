import pytest

from server.matching.service import Service
from tests.server.calls import MODES, answer

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]
TOOL = "compare_capability"
NOTES = {"setup": "start Checkpoints", "startUrl": "https://example.com/start"}


async def test_all_agents_are_compared_when_none_is_named(service: Service, mode: str) -> None:
    found = await answer(service, mode, TOOL, {"capability": "Checkpoints"})
    shared = {"available": True, "maturityLevel": "stable", "implementationNotes": NOTES}
    assert found == {
        "decision": "resolved",
        "capability": "Checkpoints",
        "comparison": [
            {"agent": "claude-code", "tier": "pro", **shared},
            {"agent": "gemini-cli", "tier": "free", **shared},
        ],
    }


async def test_an_agent_that_lacks_it_has_no_more_than_that(service: Service, mode: str) -> None:
    found = await answer(service, mode, TOOL, {"capability": "MCP Support", "agents": ["gemini-cli"]})
    assert found["comparison"] == [{"agent": "gemini-cli", "available": False}]


async def test_an_agent_of_which_nothing_is_known_is_not_documented(service: Service, mode: str) -> None:
    found = await answer(service, mode, TOOL, {"capability": "Vision", "agents": ["claude-code"]})
    assert found["comparison"] == [{"agent": "claude-code", "documented": False}]


async def test_agents_come_in_the_order_asked_and_once(service: Service, mode: str) -> None:
    arguments = {"capability": "Checkpoints", "agents": ["gemini", "claude", "Gemini CLI"]}
    found = await answer(service, mode, TOOL, arguments)
    assert [line["agent"] for line in found["comparison"]] == ["gemini-cli", "claude-code"]


async def test_a_phrase_is_answered_with_how_it_was_understood(service: Service, mode: str) -> None:
    found = await answer(service, mode, TOOL, {"capability": "put outside tools into it"})
    assert (found["capability"], found["match"]["matchedBy"]) == ("MCP Support", "embedding")


@pytest.mark.parametrize(("phrase", "decision"), [("history", "ambiguous"), ("zzz qqq", "no_match")])
async def test_an_unsure_phrase_has_candidates_without_standing(
    service: Service, mode: str, phrase: str, decision: str
) -> None:
    found = await answer(service, mode, TOOL, {"capability": phrase})
    assert set(found) == {"decision", "query", "matches", "hint"}
    assert found["decision"] == decision
    assert set(found["matches"][0]) == {"name", "category", "matchConfidence"}
