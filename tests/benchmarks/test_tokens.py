"""The scenarios that are counted are the design's, and cost a fraction of the data files."""

import json

import pytest
from mcp import Client

from benchmarks.tokens import AGENTS, answer, measure_scenario, measure_start, scenarios, table, tokens
from server.matching.service import Service
from server.paths import shipped_data
from server.protocol.server import build_server

LARGEST_SHARE = 0.35
PROMPTED = 4
"""Agents that the shipped prompts cover; a scenario can take a call more for each further agent of the data."""
FILES = {agent: shipped_data() / "agents" / agent / "capabilities" / "current.json" for agent in AGENTS}
CAPABILITIES = [
    capability["name"] for capability in json.loads(FILES["gemini-cli"].read_text(encoding="utf-8"))["capabilities"]
]
SCENARIOS = scenarios(CAPABILITIES)
ROW = {"scenario": "Cite", "calls": 1, "ratio": 0.25}

pytestmark = [pytest.mark.anyio, pytest.mark.measures]


async def test_a_scenario_costs_at_most_a_given_share_of_the_files(shipped_service: Service) -> None:
    for scenario in SCENARIOS:
        row = await measure_scenario(shipped_service, scenario)
        assert row["ratio"] <= LARGEST_SHARE, f"{scenario.name} ({scenario.start})"


def test_a_scenario_with_the_default_tools_makes_the_calls_that_the_shipped_prompts_expect() -> None:
    for scenario in [each for each in SCENARIOS if each.start == "default"]:
        shipped = json.loads((shipped_data() / "benchmark-prompts.json").read_text(encoding="utf-8"))["scenarios"]
        (expected,) = [each for each in shipped if each["name"] == scenario.name]
        fewest, most = expected["calls"]
        further = max(0, len(scenario.agents) - PROMPTED)
        assert fewest <= len(scenario.calls) <= most + further, scenario
        assert {tool for tool, _ in scenario.calls} <= set(expected["expectedTools"]), scenario


async def test_the_total_is_definitions_calls_and_answers(shipped_service: Service) -> None:
    row = await measure_scenario(shipped_service, SCENARIOS[0])
    assert row["total"] == row["definitions"] + row["requests"] + row["answers"]
    assert min(row["definitions"], row["requests"], row["answers"]) > 0


async def test_the_baseline_is_the_files_as_they_stand_on_disk(shipped_service: Service) -> None:
    row = await measure_scenario(shipped_service, SCENARIOS[0])
    assert row["baseline"] == tokens(FILES["claude-code"].read_text(encoding="utf-8"))


async def test_a_start_is_measured_trimmed_and_in_full(shipped_service: Service) -> None:
    row = await measure_start(shipped_service, "--dynamic-tools")
    assert row["tools"] == 8
    assert row["trimmed"] < row["full"]


async def test_a_call_that_is_not_understood_is_no_measurement(shipped_service: Service) -> None:
    async with Client(build_server(shipped_service)) as client:
        with pytest.raises(ValueError, match="is not answered"):
            await answer(client, ("compare_capability", {"capability": "zzz qqq"}))


def test_a_table_has_a_line_for_each_row_and_shares_in_percent() -> None:
    assert table([ROW]).splitlines() == ["| scenario | calls | ratio |", "|---|---:|---:|", "| Cite | 1 | 25.0% |"]
