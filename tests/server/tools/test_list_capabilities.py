import copy
from pathlib import Path
from typing import Any

from server.matching.service import Service, open_service
from tests.server.calls import answer
from tests.toy import AGENT_FILES, ToyEncoder, entry, write_data

TOOL = "list_capabilities"


def test_an_agent_is_listed_with_what_it_lacks(service: Service) -> None:
    assert answer(service, TOOL, {"agent": "gemini"}) == {
        "agent": "gemini-cli",
        "total": 3,
        "capabilities": [
            {"name": "Checkpoints", "category": "agent-orchestration", "tier": "free", "available": True},
            {"name": "MCP Support", "category": "api-integration", "available": False},
            {"name": "Vision", "category": "performance", "tier": "pro", "available": True},
        ],
    }


def test_a_category_alone_names_the_agent_of_each_line(service: Service) -> None:
    assert answer(service, TOOL, {"category": "Performance"}) == {
        "category": "performance",
        "total": 1,
        "capabilities": [
            {"agent": "gemini-cli", "name": "Vision", "category": "performance", "tier": "pro", "available": True}
        ],
    }


def test_agent_and_category_narrow_each_other(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code", "category": "api-integration"})
    assert [line["name"] for line in found["capabilities"]] == ["MCP Support"]
    assert (found["agent"], found["category"]) == ("claude-code", "api-integration")


def test_nothing_documented_is_an_empty_list(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "claude-code", "category": "performance"})
    assert found["capabilities"] == []


def test_it_takes_no_phrase_and_so_has_no_decision(service: Service) -> None:
    assert "decision" not in answer(service, TOOL, {"agent": "gemini"})


def test_a_list_can_have_only_what_is_there_or_what_is_not(service: Service) -> None:
    for available, names in [(True, ["Checkpoints", "Vision"]), (False, ["MCP Support"])]:
        found = answer(service, TOOL, {"agent": "gemini", "available": available})
        assert [line["name"] for line in found["capabilities"]] == names
        assert found["total"] == len(names)


def test_a_plan_leaves_out_what_is_not_on_it(service: Service) -> None:
    for tier, names in [
        ("Free", ["Checkpoints"]),
        ("pro", ["Checkpoints", "Vision"]),
        ("business", ["Checkpoints", "Vision"]),
    ]:
        found = answer(service, TOOL, {"agent": "gemini", "tier": tier})
        assert [line["name"] for line in found["capabilities"]] == names, (tier, names)
        assert found["tier"] == tier.lower(), (tier, names)


def test_what_opens_without_a_plan_is_listed_for_who_has_it(tmp_path: Path) -> None:
    files = copy.deepcopy(AGENT_FILES)
    files["gemini-cli"]["capabilities"] = [
        entry("Checkpoints", "agent-orchestration", tier="free"),
        entry("MCP Support", "api-integration", tier=None),
        entry("Vision", "performance", access=["ownKey"]),
    ]
    service = open_service(write_data(tmp_path / "toy", files), lambda threads: ToyEncoder())
    service.matchers.load()
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["Checkpoints", "MCP Support", "Vision"]),
        ({"access": "ownkey"}, ["Vision"]),
        ({"access": "localModel"}, []),
        ({"tier": "free", "access": "ownKey"}, ["Checkpoints", "Vision"]),
        ({"tier": "enterprise"}, ["Checkpoints", "Vision"]),
    ]
    for means, names in cases:
        found = answer(service, TOOL, {"agent": "gemini", **means})
        assert [line["name"] for line in found["capabilities"]] == names, means
    found = answer(service, TOOL, {"agent": "gemini", "access": "ownkey"})
    assert (found["access"], found["capabilities"][0]["access"]) == (["ownKey"], ["ownKey"])


def test_what_is_lacking_is_on_no_plan(service: Service) -> None:
    found = answer(service, TOOL, {"agent": "gemini", "tier": "free", "available": False})
    assert [line["name"] for line in found["capabilities"]] == ["MCP Support"]


def test_a_category_that_was_not_called_by_its_name_is_told(service: Service) -> None:
    found = answer(service, TOOL, {"category": "orchestration"})
    assert found["category"] == "agent-orchestration"
    assert found["understood"] == {"query": "orchestration", "confidence": 1.0}


def test_a_category_called_by_its_name_needs_no_telling(service: Service) -> None:
    for category in ["performance", "PERFORMANCE", "perfomances"]:
        found = answer(service, TOOL, {"category": category})
        assert found["category"] == "performance", category
        assert "understood" not in found, category
