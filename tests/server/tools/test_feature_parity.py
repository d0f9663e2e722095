import copy
from pathlib import Path
from typing import Any

import pytest

from server.catalog.plans import TIERS
from server.matching.service import Service, open_service
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer, error
from tests.toy import AGENT_FILES, ToyEncoder, entry, write_data

FULL = Start(profile=parse_profile("full"))
TOOL = "feature_parity"
BOTH_CHECKPOINTS = {
    "name": "Checkpoints",
    "category": "agent-orchestration",
    "differs": ["plan"],
    "agents": {"claude-code": "pro", "gemini-cli": "free"},
}


def table(service: Service, **arguments: Any) -> dict[str, Any]:
    return answer(service, TOOL, arguments)


def with_vision(folder: Path, **vision: Any) -> Service:
    """Return the toy catalog, in which claude-code has an entry for Vision."""
    agents = copy.deepcopy(AGENT_FILES)
    agents["claude-code"]["capabilities"].append(entry("Vision", "performance", **vision))
    service = open_service(write_data(folder, agents), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


def test_everything_is_laid_side_by_side_when_nothing_is_asked_for(subtests: pytest.Subtests, service: Service) -> None:
    cases: list[dict[str, Any]] = [{}, {"category": "", "tier": "", "agents": []}]
    for arguments in cases:
        with subtests.test(arguments=arguments):
            assert table(service, **arguments) == {
                "agents": ["claude-code", "gemini-cli"],
                "different": [
                    {
                        "name": "MCP Support",
                        "category": "api-integration",
                        "differs": ["availability"],
                        "agents": {"claude-code": "pro", "gemini-cli": "unavailable"},
                    },
                    {
                        "name": "Vision",
                        "category": "performance",
                        "differs": ["availability"],
                        "agents": {"claude-code": "undocumented", "gemini-cli": "pro"},
                    },
                    BOTH_CHECKPOINTS,
                ],
            }


def test_a_category_is_named_once_for_all_its_rows(subtests: pytest.Subtests, service: Service) -> None:
    for category in ["agent-orchestration", "Agent Orchestration"]:
        with subtests.test(category=category):
            assert table(service, category=category) == {
                "category": "agent-orchestration",
                "agents": ["claude-code", "gemini-cli"],
                "different": [
                    {"name": "Checkpoints", "differs": ["plan"], "agents": {"claude-code": "pro", "gemini-cli": "free"}}
                ],
            }


def test_a_limit_moves_what_is_only_on_higher_plans(service: Service) -> None:
    limited = {"claude-code": "not on free, needs pro", "gemini-cli": "available"}
    assert table(service, tier=" FREE") == {
        "tier": "free",
        "agents": ["claude-code", "gemini-cli"],
        "different": [BOTH_CHECKPOINTS | {"agents": limited}],
        "nowhere": ["MCP Support", "Vision"],
    }


def test_with_a_limit_plans_below_it_make_no_difference(service: Service) -> None:
    found = table(service, tier="pro")
    assert found["everywhere"] == ["Checkpoints"]
    assert [row["agents"]["gemini-cli"] for row in found["different"]] == ["unavailable", "available"]


def test_the_agents_asked_for_are_compared_in_that_order(service: Service) -> None:
    found = table(service, agents=["gemini", "claude"])
    assert [list(row["agents"]) for row in found["different"]] == [["gemini-cli", "claude-code"]] * 3


def test_one_agent_is_compared_with_all_others(service: Service) -> None:
    found = table(service, agents=["gemini-cli", "google"])
    names = {place: [row["name"] for row in found[place]] for place in ("missing", "unique", "different")}
    assert found["agent"] == "gemini-cli"
    assert names == {"missing": ["MCP Support"], "unique": ["Vision"], "different": ["Checkpoints"]}
    assert found["missing"][0]["agents"] == {"gemini-cli": "unavailable", "claude-code": "pro"}


def test_on_a_plan_an_agent_misses_what_only_others_have_on_it(service: Service) -> None:
    found = table(service, agents=["claude"], tier="free")
    assert [row["name"] for row in found["missing"]] == ["Checkpoints"]
    assert (found["unique"], found["nowhere"]) == ([], ["MCP Support", "Vision"])


def test_several_agents_have_nothing_missing_or_unique(service: Service) -> None:
    assert {"agent", "missing", "unique"} & set(table(service, agents=["gemini", "claude"])) == set()


def test_a_difference_in_maturity_alone_is_named_and_shown(tmp_path: Path) -> None:
    found = table(with_vision(tmp_path / "toy", maturityLevel="beta"), category="performance")
    cells = {"claude-code": "pro, beta", "gemini-cli": "pro, stable"}
    assert found["different"] == [{"name": "Vision", "differs": ["maturity"], "agents": cells}]


def test_what_is_available_alike_makes_no_difference(tmp_path: Path) -> None:
    found = table(with_vision(tmp_path / "toy"), category="performance")
    assert (found["different"], found["everywhere"]) == ([], ["Vision"])


def test_what_is_not_known_makes_no_difference(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for unknown in ["tier", "maturityLevel"]:
        with subtests.test(unknown=unknown):
            found = table(with_vision(tmp_path / unknown, **{unknown: None}), category="performance")
            assert found["everywhere"] == ["Vision"]


def test_rows_are_sorted_by_the_kind_of_difference_and_maturity_comes_last(shipped_service: Service) -> None:
    for arguments in [{}, {"tier": "pro"}, {"tier": "business"}]:
        differs = [row["differs"] for row in table(shipped_service, **arguments)["different"]]
        kinds = [("availability", "plan", "maturity").index(kinds[0]) for kinds in differs]
        assert kinds == sorted(kinds), arguments
    assert {kind for row in table(shipped_service)["different"] for kind in row["differs"]} == {
        "availability",
        "plan",
        "maturity",
    }


def test_what_the_fewest_lack_comes_first(shipped_service: Service) -> None:
    rows = [row["agents"] for row in table(shipped_service)["different"] if "availability" in row["differs"]]
    lacking = [sum(cell == "unavailable" for cell in cells.values()) for cells in rows]
    assert lacking == sorted(lacking)
    assert len(set(lacking)) > 1


def test_empty_lists_of_names_are_left_out(service: Service) -> None:
    assert not {"everywhere", "nowhere", "undocumented"} & set(table(service))


def test_a_plan_that_is_not_known_is_within_none(tmp_path: Path) -> None:
    service = with_vision(tmp_path / "toy", tier=None)
    for tier in TIERS:
        found = table(service, tier=tier, category="performance", agents=["claude-code"])
        rows = found["missing"]
        if tier == "free":
            assert (rows, found["nowhere"]) == ([], ["Vision"])
        else:
            assert [row["agents"]["claude-code"] for row in rows] == [f"not on {tier}, needs another plan"], tier


def test_a_plan_that_is_not_known_is_available_without_a_limit(tmp_path: Path) -> None:
    found = table(with_vision(tmp_path / "toy", tier=None), category="performance")
    assert found["everywhere"] == ["Vision"]
    assert table(with_vision(tmp_path / "one", tier=None), agents=["claude-code"])["missing"] == []


def test_what_opens_without_a_plan_counts_for_who_has_it(tmp_path: Path) -> None:
    service = with_vision(tmp_path / "toy", access=["ownKey"])
    cells = {"claude-code": "available", "gemini-cli": "not on own key, needs pro"}
    found = table(service, access="OwnKey", category="performance")
    assert found["access"] == ["ownKey"]
    assert found["different"] == [{"name": "Vision", "differs": ["plan"], "agents": cells}]
    (row,) = table(service, access="ownKey", tier="free", category="performance")["different"]
    assert row["agents"] == {"claude-code": "available", "gemini-cli": "not on free or own key, needs pro"}
    assert table(service, access="localModel", category="performance")["nowhere"] == ["Vision"]
    (row,) = table(service, category="performance")["different"]
    assert row["agents"] == {"claude-code": "pro or own key", "gemini-cli": "pro"}


def test_an_agent_misses_what_its_access_does_not_open(tmp_path: Path) -> None:
    found = table(with_vision(tmp_path / "toy", access=["ownKey"]), access="ownKey", agents=["gemini"])
    assert [row["name"] for row in found["missing"]] == ["Vision"]
    assert found["nowhere"] == ["Checkpoints", "MCP Support"]


def test_what_is_unavailable_is_not_called_by_its_plan(tmp_path: Path) -> None:
    found = table(with_vision(tmp_path / "toy", available=False, tier="free"), category="performance")
    cells = {"claude-code": "unavailable", "gemini-cli": "pro"}
    assert found["different"] == [{"name": "Vision", "differs": ["availability"], "agents": cells}]


def test_what_nobody_has_documented_is_not_told_as_what_nobody_has(tmp_path: Path) -> None:
    agents = copy.deepcopy(AGENT_FILES)
    agents["gemini-cli"]["capabilities"] = [entry("Checkpoints", "agent-orchestration", available=False)]
    agents["claude-code"]["capabilities"] = []
    service = open_service(write_data(tmp_path / "toy", agents), lambda threads: ToyEncoder())
    found = table(service)
    assert (found["nowhere"], found["undocumented"]) == (["Checkpoints"], ["MCP Support", "Vision"])


def test_an_answer_needs_no_model(degraded_service: Service, service: Service) -> None:
    assert table(degraded_service) == table(service)


def test_what_cannot_be_understood_is_refused_with_what_could(service: Service) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        (
            {"category": "zzz qqq"},
            "category 'zzz qqq' is not clear; known: agent-orchestration, api-integration, performance;",
        ),
        ({"tier": "premium"}, "unknown tier 'premium'; known: free, pro, business, enterprise;"),
        ({"access": "key"}, "unknown access 'key'; known: ownKey, "),
        ({"agents": ["claude", "bob"]}, "agent 'bob' is not covered; covered agents: claude-code, gemini"),
        ({"agents": "claude"}, "feature_parity got 'claude' for 'agents'; input should be a valid list;"),
    ]
    for arguments, told in cases:
        assert (error(service, TOOL, arguments)).startswith(told), (arguments, told)


def test_a_category_that_was_not_called_by_its_name_is_told(service: Service) -> None:
    found = table(service, category="orchestration")
    assert (found["category"], found["understood"]["query"]) == ("agent-orchestration", "orchestration")


def test_every_capability_of_the_catalog_stands_in_one_place(shipped_service: Service) -> None:
    cases: list[dict[str, Any]] = [{}, *({"tier": tier} for tier in TIERS), {"agents": ["claude-code"]}]
    for arguments in cases:
        found = table(shipped_service, **arguments)
        rows = [row for place in ("missing", "unique", "different") for row in found.get(place, [])]
        names = [row["name"] for row in rows] + found.get("everywhere", []) + found.get("nowhere", [])
        names += found.get("undocumented", [])
        assert sorted(names) == sorted(shipped_service.catalog.by_name), arguments


def test_a_category_has_the_rows_of_the_whole_table(shipped_service: Service) -> None:
    for category in ["security", "customization", "observability"]:
        whole, part = table(shipped_service), table(shipped_service, category=category)
        assert part["different"], category
        assert [row | {"category": category} for row in part["different"]] == [
            row for row in whole["different"] if row["category"] == category
        ], category
