from pathlib import Path
from typing import Any

import pytest

from server.catalog.plans import TIERS
from server.matching.service import Service, open_service
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer, error
from tests.toy import ToyEncoder, entry, write_data

FULL = Start(profile=parse_profile("full"))
TOOL = "recommend_agent"
PLANS: list[str] = list(TIERS)
HAS = {"verdict": "yes", "available": True, "maturityLevel": "stable"}
UNKNOWN = {"verdict": "undocumented", "documented": False}
FIRST = {"source": "https://example.com/docs"}
"""What only the needs of the agent that comes first have."""
REAL_NEEDS = [
    "can it undo what it did?",
    "plug in outside tools",
    "run the commands in a sandbox",
    "works with my phone",
]


def lacking(name: str) -> dict[str, Any]:
    return {"verdict": "no", "because": f"{name} of this agent", "available": False}


def ranked(service: Service, needs: list[str], **more: Any) -> dict[str, Any]:
    return answer(service, TOOL, {"needs": needs, **more})


def coverage(found: dict[str, Any]) -> dict[str, float]:
    return {agent["agent"]: agent["covered"] for agent in found["agents"]}


@pytest.fixture
def four(tmp_path: Path) -> Service:
    """Agents whose Checkpoints are on no known plan, unavailable though with a plan, on a known one, undocumented."""
    offers: dict[str, list[dict[str, Any]]] = {
        "zeta": [entry("Checkpoints", "agent-orchestration", tier=None)],
        "mid": [entry("Checkpoints", "agent-orchestration", available=False, tier="free")],
        "alpha": [entry("Checkpoints", "agent-orchestration")],
        "beta": [],
    }
    agents = {name: {"agent": {"name": name}, "capabilities": entries} for name, entries in offers.items()}
    service = open_service(write_data(tmp_path / "four", agents), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


def test_agents_are_ranked_by_the_needs_that_they_cover(service: Service) -> None:
    found = ranked(service, ["vision", "mcp", "checkpoints"], tier="Free ")
    assert len(found.pop("understood")) == 3
    assert found == {
        "tier": "free",
        "agents": [
            {
                "rank": 1,
                "agent": "gemini-cli",
                "covered": 1,
                "of": 3,
                "tier": "free",
                "needs": [
                    {"capability": "Vision", **HAS, "tier": "pro", "beyond": True, **FIRST},
                    {"capability": "MCP Support", **lacking("MCP Support"), **FIRST},
                    {"capability": "Checkpoints", **HAS, "tier": "free", "setup": "start Checkpoints", **FIRST},
                ],
            },
            {
                "rank": 2,
                "agent": "claude-code",
                "covered": 0,
                "of": 3,
                "needs": [
                    {"capability": "Vision", **UNKNOWN},
                    {"capability": "MCP Support", **HAS, "tier": "pro", "beyond": True},
                    {"capability": "Checkpoints", **HAS, "tier": "pro", "beyond": True},
                ],
            },
        ],
        "hint": "No agent has, with this plan or access: vision; mcp.",
    }


def test_without_a_plan_every_plan_counts(service: Service) -> None:
    for more in [{}, {"tier": ""}]:
        found = ranked(service, ["checkpoints", "mcp"], **more)
        assert {"tier", "hint"} & set(found) == set()
        assert list(coverage(found).items()) == [("claude-code", 2), ("gemini-cli", 1)]


def test_a_plan_covers_what_the_plans_below_it_cover(service: Service) -> None:
    for tier, claude in [("free", 0), ("pro", 1), ("business", 1), ("enterprise", 1)]:
        found = ranked(service, ["checkpoints"], tier=tier)
        assert (found["tier"], coverage(found)) == (tier, {"claude-code": claude, "gemini-cli": 1}), (tier, claude)


def test_each_way_to_stand_on_a_need_is_told_apart(four: Service) -> None:
    found = ranked(four, ["checkpoints"], tier="pro")
    assert {agent["agent"]: (agent["covered"], agent["needs"]) for agent in found["agents"]} == {
        "alpha": (
            1,
            [{"capability": "Checkpoints", **HAS, "tier": "pro", "setup": "start Checkpoints", **FIRST}],
        ),
        "zeta": (0, [{"capability": "Checkpoints", **HAS, "beyond": True}]),
        "beta": (0, [{"capability": "Checkpoints", **UNKNOWN}]),
        "mid": (0, [{"capability": "Checkpoints", **lacking("Checkpoints")}]),
    }


def test_a_plan_that_is_not_known_is_within_none_but_counts_without_a_limit(four: Service) -> None:
    assert coverage(ranked(four, ["checkpoints"])) == {"alpha": 1, "zeta": 1, "beta": 0, "mid": 0}
    for tier in PLANS:
        assert coverage(ranked(four, ["checkpoints"], tier=tier))["zeta"] == 0, tier


def test_what_opens_without_a_plan_counts_for_who_has_it(tmp_path: Path) -> None:
    offers: dict[str, dict[str, Any]] = {
        "keyed": {"tier": None, "access": ["ownKey"]},
        "local": {"tier": "pro", "access": ["localModel"]},
        "planned": {"tier": "free"},
    }
    agents = {
        name: {"agent": {"name": name}, "capabilities": [entry("Checkpoints", "agent-orchestration", **more)]}
        for name, more in offers.items()
    }
    service = open_service(write_data(tmp_path / "toy", agents), lambda threads: ToyEncoder())
    service.matchers.load()
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({}, {"keyed", "local", "planned"}),
        ({"access": "ownkey"}, {"keyed"}),
        ({"access": "localModel, ownKey"}, {"keyed", "local"}),
        ({"tier": "free", "access": "localModel"}, {"local", "planned"}),
        ({"tier": "pro"}, {"local", "planned"}),
    ]
    for means, covering in cases:
        found = ranked(service, ["checkpoints"], **means)
        assert {agent for agent, covered in coverage(found).items() if covered} == covering, means
        free = {agent["agent"] for agent in found["agents"] if agent.get("noPlanNeeded")}
        assert free == covering - {"planned"}, means
    found = ranked(service, ["checkpoints"], access="ownkey")
    assert found["access"] == ["ownKey"]
    assert found["agents"][0]["needs"][0]["access"] == ["ownKey"]
    message = error(service, TOOL, {"needs": ["vision"], "access": "key"})
    assert "unknown access 'key'; known: ownKey, " in message


def test_an_unknown_plan_names_the_known_ones(service: Service) -> None:
    message = error(service, TOOL, {"needs": ["vision"], "tier": "por"})
    assert "unknown tier 'por'; known: free, pro, business, enterprise; did you mean 'pro'?" in message


WORTH = {"yes": 1.0, "partly": 0.5}


def documented(service: Service, agent: str, need: dict[str, Any]) -> str:
    """Return the verdict that the catalog has for a need that is no opposite, as it was understood."""
    name, known = need["capability"], service.catalog.agents[agent]
    offer = known.entries.get(name)
    lacking = "no" if offer and not offer.available else "undocumented"
    if "question" not in need:
        return "yes" if offer and offer.available else lacking
    assert "opposite" not in need
    (id_,) = (facet.id for facet in service.catalog.facets[name] if facet.question == need["question"])
    cell = known.cells.get(f"{name}/{id_}")
    return (cell.verdict or "yes") if cell else lacking


def within(service: Service, agent: str, name: str, means: dict[str, str]) -> bool:
    """Return whether an agent's entry does not stand in the way: it is not beyond a plan."""
    offer = service.catalog.entry(agent, name)
    if offer is None or not offer.available or "tier" not in means:
        return True
    return offer.tier is not None and PLANS.index(offer.tier) <= PLANS.index(means["tier"])


def test_real_needs_rank_the_agents_by_what_the_catalog_says(
    shipped_service: Service, subtests: pytest.Subtests
) -> None:
    cases: list[dict[str, str]] = [{}, *({"tier": plan} for plan in PLANS)]
    for more in cases:
        with subtests.test(more=more):
            found = ranked(shipped_service, REAL_NEEDS, **more)
            clear = [place for place, need in enumerate(found["understood"]) if "capability" in need]
            names = {found["understood"][place]["capability"] for place in clear}
            expected = {}
            for agent in found["agents"]:
                assert agent["of"] == len(agent["needs"]) == len(REAL_NEEDS)
                expected[agent["agent"]] = sum(
                    WORTH.get(documented(shipped_service, agent["agent"], found["understood"][place]), 0)
                    for place in clear
                    if within(shipped_service, agent["agent"], found["understood"][place]["capability"], more)
                )
            assert coverage(found) == expected
            assert list(coverage(found).values()) == sorted(expected.values(), reverse=True)
            assert {"Checkpoints", "MCP Support", "Sandboxing"} <= names
