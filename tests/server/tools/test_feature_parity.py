import copy
from pathlib import Path
from typing import Any

import pytest

from server.catalog.plans import TIERS
from server.matching.service import Service, open_service
from server.toolset.profiles import parse_profile
from server.toolset.start import Start
from tests.server.calls import MODES, answer, error
from tests.toy import AGENT_FILES, ToyEncoder, entry, write_data

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]
FULL = Start(profile=parse_profile("full"))
TOOL = "feature_parity"
BOTH_CHECKPOINTS = {
    "name": "Checkpoints",
    "category": "agent-orchestration",
    "agents": {"claude-code": "pro", "gemini-cli": "free"},
}


async def table(service: Service, mode: str, **arguments: Any) -> dict[str, Any]:
    return await answer(service, mode, TOOL, arguments, start=FULL)


def with_vision(folder: Path, **vision: Any) -> Service:
    """The toy catalog, in which claude-code has an entry for Vision."""
    agents = copy.deepcopy(AGENT_FILES)
    agents["claude-code"]["capabilities"].append(entry("Vision", "performance", **vision))
    service = open_service(write_data(folder, agents), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.mark.parametrize("arguments", [{}, {"category": "", "tier": "", "agents": []}])
async def test_everything_is_laid_side_by_side_when_nothing_is_asked_for(
    service: Service, mode: str, arguments: dict[str, Any]
) -> None:
    assert await table(service, mode, **arguments) == {
        "different": [
            {
                "name": "MCP Support",
                "category": "api-integration",
                "agents": {"claude-code": "pro", "gemini-cli": "unavailable"},
            },
            {
                "name": "Vision",
                "category": "performance",
                "agents": {"claude-code": "undocumented", "gemini-cli": "pro"},
            },
        ],
        "everywhere": [BOTH_CHECKPOINTS],
    }


@pytest.mark.parametrize("category", ["agent-orchestration", "Agent Orchestration"])
async def test_a_category_is_named_once_for_all_its_rows(service: Service, mode: str, category: str) -> None:
    assert await table(service, mode, category=category) == {
        "category": "agent-orchestration",
        "different": [],
        "everywhere": [{"name": "Checkpoints", "agents": {"claude-code": "pro", "gemini-cli": "free"}}],
    }


async def test_a_limit_moves_what_is_only_on_higher_plans(service: Service, mode: str) -> None:
    assert await table(service, mode, tier=" FREE") == {
        "tier": "free",
        "different": [BOTH_CHECKPOINTS],
        "everywhere": [],
        "nowhere": ["MCP Support", "Vision"],
    }


async def test_the_limit_itself_is_within_it(service: Service, mode: str) -> None:
    unlimited = await table(service, mode)
    assert await table(service, mode, tier="pro") == {"tier": "pro", **unlimited}


async def test_the_agents_asked_for_are_compared_in_that_order(service: Service, mode: str) -> None:
    found = await table(service, mode, agents=["gemini", "claude"])
    assert [list(row["agents"]) for row in found["different"]] == [["gemini-cli", "claude-code"]] * 2


async def test_one_agent_by_two_names_is_compared_with_nobody(service: Service, mode: str) -> None:
    found = await table(service, mode, agents=["gemini-cli", "google"])
    assert found["different"] == []
    assert [row["agents"] for row in found["everywhere"]] == [{"gemini-cli": "free"}, {"gemini-cli": "pro"}]
    assert found["nowhere"] == ["MCP Support"]


@pytest.mark.parametrize("tier", TIERS)
async def test_a_plan_that_is_not_known_is_none_too_high(tmp_path: Path, mode: str, tier: str) -> None:
    found = await table(with_vision(tmp_path / "toy", tier=None), mode, tier=tier, agents=["claude"])
    assert {"name": "Vision", "category": "performance", "agents": {"claude-code": "available"}} in found["everywhere"]


async def test_what_is_unavailable_is_not_called_by_its_plan(tmp_path: Path, mode: str) -> None:
    found = await table(with_vision(tmp_path / "toy", available=False, tier="free"), mode, category="performance")
    assert found["different"] == [{"name": "Vision", "agents": {"claude-code": "unavailable", "gemini-cli": "pro"}}]


async def test_what_nobody_has_documented_is_not_told_as_what_nobody_has(
    service: Service, tmp_path: Path, mode: str
) -> None:
    asked = {"agents": ["claude"], "category": "performance"}
    unavailable = await table(with_vision(tmp_path / "unavailable", available=False), mode, **asked)
    assert unavailable["nowhere"] == ["Vision"]
    assert await table(service, mode, **asked) != unavailable


async def test_an_answer_needs_no_model(degraded_service: Service, service: Service, mode: str) -> None:
    assert await table(degraded_service, mode) == await table(service, mode)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"category": "speed"}, "unknown category 'speed'; known: agent-orchestration, api-integration, performance;"),
        ({"tier": "premium"}, "unknown tier 'premium'; known: free, pro, business, enterprise;"),
        ({"agents": ["claude", "bob"]}, "agent 'bob' is not covered; covered agents: claude-code, gemini"),
        ({"agents": "claude"}, "feature_parity got 'claude' for 'agents'; input should be a valid list;"),
    ],
)
async def test_what_cannot_be_understood_is_refused_with_what_could(
    service: Service, mode: str, arguments: dict[str, Any], told: str
) -> None:
    assert (await error(service, mode, TOOL, arguments, start=FULL)).startswith(told)


@pytest.mark.parametrize("arguments", [{}, *({"tier": tier} for tier in TIERS), {"agents": ["claude-code"]}])
async def test_every_capability_of_the_catalog_stands_in_one_place(
    shipped_service: Service, mode: str, arguments: dict[str, Any]
) -> None:
    found = await table(shipped_service, mode, **arguments)
    names = [row["name"] for row in [*found["different"], *found["everywhere"]]] + found.get("nowhere", [])
    assert len(names) == 48
    assert sorted(names) == sorted(shipped_service.catalog.by_name)


@pytest.mark.parametrize("category", ["security", "customization", "observability"])
async def test_a_category_has_the_rows_of_the_whole_table(shipped_service: Service, mode: str, category: str) -> None:
    whole, part = await table(shipped_service, mode), await table(shipped_service, mode, category=category)
    assert part["different"] or part["everywhere"]
    for rows in ("different", "everywhere"):
        assert [row | {"category": category} for row in part[rows]] == [
            row for row in whole[rows] if row["category"] == category
        ]
