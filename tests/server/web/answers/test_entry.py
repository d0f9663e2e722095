from pathlib import Path

import pytest

from server.catalog.loading import load_catalog
from server.errors import CallerError
from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.web.answers.catalog import entry
from tests import toy


def test_an_entry_is_shown_whole(service: Service) -> None:
    assert entry(service.catalog, "claude", "checkpoints") == {
        "agent": "claude-code",
        "agentName": "Claude Code",
        "name": "Checkpoints",
        "category": "agent-orchestration",
        "documented": True,
        "description": "Checkpoints of this agent",
        "available": True,
        "tier": "pro",
        "maturityLevel": "stable",
        "limitations": (),
        "requirements": (),
        "status": "active",
        "implementationNotes": {
            "setup": "start Checkpoints",
            "startUrl": "https://example.com/start",
            "gotchas": (),
        },
        "sources": (toy.source(),),
        "needs": "pro",
    }


def test_an_entry_that_the_data_lack_is_not_documented(service: Service) -> None:
    found = entry(service.catalog, "claude-code", "Vision")
    assert found["documented"] is False
    assert found["category"] == "performance"
    assert "available" not in found


def test_an_unknown_agent_or_capability_is_the_callers_mistake(service: Service) -> None:
    for agent, capability in [("nobody", "Vision"), ("claude-code", "Flying")]:
        with pytest.raises(CallerError):
            entry(service.catalog, agent, capability)


def test_a_text_that_ages_fast_is_a_text_and_the_entry_says_so(tmp_path: Path) -> None:
    one = toy.entry("Checkpoints", "a", limitations=[{"text": "100 a day", "volatile": True}])
    folder = toy.write_data(tmp_path, {"one": {"agent": {"name": "One"}, "capabilities": [one]}})
    service = open_service(folder, lambda threads: toy.ToyEncoder())
    service.matchers.load()
    found = entry(service.catalog, "one", "Checkpoints")
    assert found["limitations"] == ("100 a day",)
    assert found["agesFast"] is True


def test_an_entry_has_the_questions_that_its_agent_answers() -> None:
    catalog = load_catalog(shipped_data())
    asked = entry(catalog, "claude-code", "Checkpoints")["questions"]
    first = catalog.facets["Checkpoints"][0]
    cell = catalog.agents["claude-code"].cells[f"Checkpoints/{first.id}"]
    assert asked[0] == {
        "question": first.question,
        "verdict": cell.verdict,
        "because": cell.because,
        "source": cell.source,
    }
    assert len(asked) == len(catalog.facets["Checkpoints"])
