from pathlib import Path
from typing import Any

import pytest

from server.catalog.loading import load_catalog
from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.web.answers.catalog import matrix
from tests.toy import ToyEncoder, entry, source, write_data


@pytest.fixture
def shown(service: Service) -> dict[str, Any]:
    return matrix(service.catalog)


def made(folder: Path, **fields: Any) -> dict[str, Any]:
    """Return the matrix of one agent with one entry."""
    agent = {"agent": {"name": "One"}, "capabilities": [entry("Checkpoints", "a", **fields)]}
    service = open_service(write_data(folder, {"one": agent}), lambda threads: ToyEncoder())
    service.matchers.load()
    return matrix(service.catalog)


def cell(folder: Path, **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(folder, **fields)["entries"]["one"]["Checkpoints"]
    return found


def test_agents_capabilities_and_categories_are_as_in_the_catalog(shown: dict[str, Any]) -> None:
    assert shown["agents"][0] == {"id": "claude-code", "name": "Claude Code", "vendor": "Anthropic", "version": "2"}
    assert shown["capabilities"][0] == {
        "name": "Checkpoints",
        "category": "agent-orchestration",
        "definition": "go back to an earlier state",
    }
    assert [each["name"] for each in shown["capabilities"]] == ["Checkpoints", "MCP Support", "Vision"]
    assert shown["categories"] == [
        {"name": "agent-orchestration"},
        {"name": "api-integration"},
        {"name": "performance"},
    ]
    assert shown["tiers"] == ["free", "pro", "business", "enterprise"]
    assert shown["maturityLevels"] == ["experimental", "beta", "stable", "deprecated"]
    assert set(shown["entries"]["claude-code"]) == {"Checkpoints", "MCP Support"}


def test_what_is_absent_is_left_out(tmp_path: Path) -> None:
    assert made(tmp_path)["agents"] == [{"id": "one", "name": "One"}]


def test_a_cell_has_the_plan_the_maturity_and_the_oldest_source(tmp_path: Path) -> None:
    dated = [source() | {"verifiedDate": day} for day in ("2026-09-01", "2026-03-02")]
    undated = {"url": "https://example.com"}
    assert cell(tmp_path, sources=[*dated, undated], terminology="Rewind") == {
        "available": True,
        "tier": "pro",
        "needs": "pro",
        "maturityLevel": "stable",
        "terminology": "Rewind",
        "oldestSource": "2026-03-02",
    }


def test_a_cell_says_that_something_ages_fast(tmp_path: Path) -> None:
    assert cell(tmp_path, limitations=[{"text": "100 a day", "volatile": True}])["agesFast"] is True


def test_a_cell_has_a_status_only_if_it_is_not_active(tmp_path: Path) -> None:
    assert cell(tmp_path, status="modified")["status"] == "modified"


def test_the_questions_about_a_capability_have_the_verdicts_of_each_agent_in_their_order() -> None:
    catalog = load_catalog(shipped_data())
    shown = matrix(catalog)
    for name, facets in catalog.facets.items():
        assert shown["questions"][name] == [facet.question for facet in facets]
        for agent in catalog.agents.values():
            told = [agent.cells[f"{name}/{facet.id}"].verdict or "value" for facet in facets]
            assert shown["verdicts"][agent.id][name] == told, (agent.id, name)


def test_a_catalog_without_questions_has_none(shown: dict[str, Any]) -> None:
    assert shown["questions"] == {}
