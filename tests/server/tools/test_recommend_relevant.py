import json
from typing import Any

import pytest
from rs_bpe import openai

from server.matching.service import Service
from server.tools.recommend_agent import LONGEST_STATEMENT, RecommendRequest, recommend
from tests.server.tools.statements import entries_say

CL100K = openai.cl100k_base()
MAX_TOKENS_AN_AGENT = 375
FIVE = ["Custom Model Providers", "Shell Command Execution", "Prompt and Context Inspector", "Agent SDK", "Memory"]
LOCAL = "no local model"


def found(service: Service, *needs: str) -> dict[str, Any]:
    return recommend(service, RecommendRequest(needs=list(needs))).to_json()


def statements(answer: dict[str, Any]) -> list[str]:
    return [
        said["statement"] for agent in answer["agents"] for need in agent["needs"] for said in need.get("relevant", [])
    ]


def test_the_likeliest_statement_stands_with_its_need_and_agent(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries_say(
        monkeypatch,
        lambda agent, name: [("setup", "start it", 0.2), ("limitations", LOCAL, 0.6)] if name == "MCP Support" else [],
    )
    needs = {agent["agent"]: agent["needs"] for agent in found(service, "checkpoints", "mcp")["agents"]}
    relevant = [{"statement": LOCAL, "field": "limitations", "confidence": 0.6}]
    assert [need.get("relevant") for need in needs["claude-code"]] == [None, relevant]
    assert [need.get("relevant") for need in needs["gemini-cli"]] == [None, relevant]


@pytest.mark.parametrize("field", ["limitations", "requirements", "gotchas"])
def test_the_hint_names_covering_agents_whose_entry_limits_it(
    service: Service, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    entries_say(monkeypatch, lambda agent, name: [(field, LOCAL, 0.6)])
    assert found(service, "mcp")["hint"] == "Covered, but see relevant for claude-code."


@pytest.mark.parametrize("field", ["description", "setup"])
def test_a_statement_that_takes_nothing_back_is_not_warned_of(
    service: Service, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    entries_say(monkeypatch, lambda agent, name: [(field, LOCAL, 0.6)])
    answer = found(service, "mcp")
    assert statements(answer) == [LOCAL, LOCAL]
    assert "hint" not in answer


def test_with_little_room_the_likeliest_statements_stay(
    shipped_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "word " * 60
    entries_say(monkeypatch, lambda agent, name: [("gotchas", f"{name} {text}", FIVE.index(name) / 10)])
    told = statements(found(shipped_service, *FIVE))
    agents = len(shipped_service.catalog.agents)
    assert agents < len(told) < 5 * agents
    assert sum(each.startswith("Memory") for each in told) == agents
    assert not any(each.startswith("Custom") for each in told)
    assert max(map(len, told)) <= LONGEST_STATEMENT


@pytest.mark.parametrize("repeated", [1, 5])
def test_five_needs_of_all_agents_stay_within_the_budget(
    shipped_service: Service, monkeypatch: pytest.MonkeyPatch, repeated: int
) -> None:
    def longest_texts(agent: str, name: str) -> list[tuple[str, str, float]]:
        entry = shipped_service.catalog.agents[agent].entries[name]
        notes = entry.implementation_notes
        texts = [*entry.limitations, *entry.requirements, *(notes.gotchas if notes else ())]
        return [("limitations", " ".join([max(texts, key=len, default=LOCAL)] * repeated), 0.512)] * 2

    entries_say(monkeypatch, longest_texts)
    names = sorted(shipped_service.catalog.by_name, key=len)[-5:]
    answer = found(shipped_service, *(f"{name} please" for name in names))
    assert [len(answer["agents"]), len(answer["agents"][0]["needs"])] == [len(shipped_service.catalog.agents), 5]
    assert statements(answer)
    assert CL100K.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= MAX_TOKENS_AN_AGENT * len(
        answer["agents"]
    )
