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
STABLE = {"maturityLevel": "stable"}
REAL_NEEDS = [
    "can it undo what it did?",
    "plug in outside tools",
    "run the commands in a sandbox",
    "works with my phone",
]


def ranked(service: Service, needs: list[str], **more: Any) -> dict[str, Any]:
    return answer(service, TOOL, {"needs": needs, **more})


def coverage(found: dict[str, Any]) -> dict[str, int]:
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
                    {"capability": "Vision", "covered": False, "available": True, "tier": "pro", **STABLE},
                    {"capability": "MCP Support", "covered": False, "available": False},
                    {"capability": "Checkpoints", "covered": True, "available": True, "tier": "free", **STABLE},
                ],
            },
            {
                "rank": 2,
                "agent": "claude-code",
                "covered": 0,
                "of": 3,
                "needs": [
                    {"capability": "Vision", "covered": False, "documented": False},
                    {"capability": "MCP Support", "covered": False, "available": True, "tier": "pro", **STABLE},
                    {"capability": "Checkpoints", "covered": False, "available": True, "tier": "pro", **STABLE},
                ],
            },
        ],
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
    found = ranked(four, ["checkpoints"], tier="free")
    assert {agent["agent"]: agent["needs"] for agent in found["agents"]} == {
        "zeta": [{"capability": "Checkpoints", "covered": True, "available": True, **STABLE}],
        "alpha": [{"capability": "Checkpoints", "covered": False, "available": True, "tier": "pro", **STABLE}],
        "beta": [{"capability": "Checkpoints", "covered": False, "documented": False}],
        "mid": [{"capability": "Checkpoints", "covered": False, "available": False}],
    }


def test_an_unknown_plan_names_the_known_ones(service: Service) -> None:
    message = error(service, TOOL, {"needs": ["vision"], "tier": "por"})
    assert "unknown tier 'por'; known: free, pro, business, enterprise; did you mean 'pro'?" in message


def test_real_needs_rank_the_agents_by_what_the_catalog_says(
    shipped_service: Service, subtests: pytest.Subtests
) -> None:
    cases: list[dict[str, str]] = [{}, *({"tier": plan} for plan in PLANS)]
    for more in cases:
        with subtests.test(more=more):
            found = ranked(shipped_service, REAL_NEEDS, **more)
            names = {need["capability"] for need in found["understood"] if "capability" in need}
            assert {"Checkpoints", "MCP Support", "Sandboxing"} <= names
            most = PLANS.index(more.get("tier", "enterprise"))
            expected = {
                agent: sum(
                    offer.available and PLANS.index(offer.tier or "free") <= most
                    for name in names
                    if (offer := shipped_service.catalog.entry(agent, name))
                )
                for agent in shipped_service.catalog.agents
            }
            assert coverage(found) == expected
            assert list(coverage(found).values()) == sorted(expected.values(), reverse=True)
