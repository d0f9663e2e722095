from pathlib import Path
from typing import Any

import pytest

from server.matching.service import Service, open_service
from server.tools.recommend_agent import RecommendRequest, recommend
from tests.toy import ToyEncoder, entry, write_data

ORCHESTRATION = "agent-orchestration"


def service_of(folder: Path, offers: dict[str, list[dict[str, Any]]]) -> Service:
    """Return a catalog of agents with these entries."""
    agents = {name: {"agent": {"name": name}, "capabilities": entries} for name, entries in offers.items()}
    service = open_service(write_data(folder / "toy", agents), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


def checkpoints(**more: Any) -> list[dict[str, Any]]:
    """Return the entries of an agent that has an entry for Checkpoints only."""
    return [entry("Checkpoints", ORCHESTRATION, **more)]


def found(service: Service, *needs: str) -> dict[str, Any]:
    return recommend(service, RecommendRequest(needs=list(needs))).to_json()


def test_equal_agents_share_a_rank_and_the_next_one_counts_on(tmp_path: Path) -> None:
    service = service_of(tmp_path, {"a": checkpoints(), "b": checkpoints(), "c": []})
    agents = found(service, "checkpoints")["agents"]
    assert [(agent["agent"], agent["rank"], agent.get("tie")) for agent in agents] == [
        ("a", 1, True),
        ("b", 1, True),
        ("c", 3, None),
    ]


def test_the_lowest_plan_orders_equal_agents(tmp_path: Path) -> None:
    tiers = {"a": "enterprise", "b": None, "c": "business", "d": "free", "e": "pro"}
    service = service_of(tmp_path, {agent: checkpoints(tier=tier) for agent, tier in tiers.items()})
    agents = found(service, "checkpoints")["agents"]
    assert [agent["agent"] for agent in agents] == ["d", "e", "c", "a", "b"]
    assert [agent.get("tier") for agent in agents] == ["free", "pro", "business", "enterprise", None]


def test_of_one_plan_the_maturest_comes_first(tmp_path: Path) -> None:
    levels = {"a": "deprecated", "b": None, "c": "experimental", "d": "stable", "e": "beta"}
    service = service_of(tmp_path, {agent: checkpoints(maturityLevel=level) for agent, level in levels.items()})
    assert [agent["agent"] for agent in found(service, "checkpoints")["agents"]] == ["d", "e", "c", "a", "b"]


def test_the_plan_counts_before_the_maturity(tmp_path: Path) -> None:
    offers = {"a": checkpoints(tier="pro"), "b": checkpoints(tier="free", maturityLevel="experimental")}
    assert [agent["agent"] for agent in found(service_of(tmp_path, offers), "checkpoints")["agents"]] == ["b", "a"]


def test_the_plan_of_an_agent_has_all_that_it_covers(tmp_path: Path) -> None:
    offers = {
        "a": [*checkpoints(tier="free"), entry("Vision", "performance", tier="business")],
        "b": checkpoints(tier="free"),
    }
    agents = found(service_of(tmp_path, offers), "checkpoints", "vision")["agents"]
    assert [(agent["agent"], agent["tier"]) for agent in agents] == [("a", "business"), ("b", "free")]


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ({"tier": "free"}, {"tier": "pro"}, "the plan: Checkpoints (a free; b pro)"),
        ({}, {"maturityLevel": "beta"}, "the maturity: Checkpoints (a stable; b beta)"),
    ],
)
def test_a_tie_names_the_needs_that_differ(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], told: str
) -> None:
    service = service_of(tmp_path, {"a": checkpoints(**first), "b": checkpoints(**second)})
    assert found(service, "checkpoints")["ties"] == [{"rank": 1, "agents": ["a", "b"], "brokenBy": told}]


def test_a_tie_of_different_needs_asks_which_counts_more(tmp_path: Path) -> None:
    service = service_of(tmp_path, {"a": checkpoints(), "b": [entry("Vision", "performance")]})
    (tie,) = found(service, "checkpoints", "vision")["ties"]
    differing = "Checkpoints (a yes; b undocumented), Vision (a undocumented; b yes)"
    assert tie["brokenBy"] == f"which need counts more: {differing}"


def test_a_tie_with_an_unclear_need_asks_for_it_to_be_said(tmp_path: Path) -> None:
    service = service_of(tmp_path, {"a": checkpoints(), "b": checkpoints()})
    (tie,) = found(service, "checkpoints", "zzz qqq")["ties"]
    assert tie["brokenBy"] == "saying more precisely: 'zzz qqq'"


def test_a_tie_that_no_need_breaks_names_a_capability_that_would(tmp_path: Path) -> None:
    offers = {"a": checkpoints(), "b": [*checkpoints(), entry("Vision", "performance")]}
    (tie,) = found(service_of(tmp_path, offers), "checkpoints")["ties"]
    assert tie["brokenBy"] == "a further need, such as Vision (b)"


def test_a_tie_that_nothing_breaks_says_so(tmp_path: Path) -> None:
    service = service_of(tmp_path, {"a": checkpoints(), "b": checkpoints()})
    (tie,) = found(service, "checkpoints")["ties"]
    assert tie["brokenBy"] == "nothing that the catalog knows"


def test_without_equal_agents_there_is_no_tie(tmp_path: Path) -> None:
    answer = found(service_of(tmp_path, {"a": checkpoints(), "b": []}), "checkpoints")
    assert "ties" not in answer
    assert all("tie" not in agent for agent in answer["agents"])


def test_of_equal_agents_the_one_that_needs_no_plan_comes_first(tmp_path: Path) -> None:
    offers = {"a": checkpoints(tier="free"), "b": checkpoints(tier="pro", access=["localModel"])}
    agents = found(service_of(tmp_path, offers), "checkpoints")["agents"]
    assert [(agent["agent"], agent.get("noPlanNeeded"), agent["tie"]) for agent in agents] == [
        ("b", True, True),
        ("a", None, True),
    ]


def test_a_plan_is_needed_if_one_need_is_only_on_a_plan(tmp_path: Path) -> None:
    offers = {"a": [*checkpoints(access=["ownKey"]), entry("Vision", "performance")]}
    (agent,) = found(service_of(tmp_path, offers), "checkpoints", "vision")["agents"]
    assert (agent["covered"], agent["tier"], "noPlanNeeded" in agent) == (2, "pro", False)
