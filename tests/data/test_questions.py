"""Rules for `data/agents/*/capabilities/questions.json`, as CONTRIBUTING states them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from embeddings.text.normalization import fold
from server.catalog.loading import load_catalog
from server.catalog.statements import statements
from server.paths import shipped_data
from tests.data.shipped import AGENTS, read

ROOT = Path(__file__).resolve().parents[2]
CATALOG = load_catalog(shipped_data())
STATEMENTS = statements(CATALOG)


def test_every_statement_has_a_question() -> None:
    for agent in AGENTS:
        assert [
            (found.label, found.text) for found in STATEMENTS if found.group == agent and not found.questions
        ] == [], agent


def test_every_question_is_of_a_statement_that_stands_in_the_entry() -> None:
    for agent in AGENTS:
        held = {(name, id_) for name, entry in CATALOG.agents[agent].entries.items() for _, id_, _ in entry.statements}
        file: dict[str, dict[str, Any]] = read("agents", agent, "capabilities", "questions.json")["questions"]
        assert [(label, id_) for label, asked in file.items() for id_ in asked if (label, id_) not in held] == [], agent


def test_no_question_of_an_agent_is_asked_twice() -> None:
    for agent in AGENTS:
        asked = [(fold(text), found.label) for found in STATEMENTS if found.group == agent for text in found.questions]
        # A question belongs to several entries if one requirement stands in all of them.
        holders = Counter(text for text, _ in set(asked))
        assert [text for text, times in Counter(text for text, _ in asked).items() if times > holders[text]] == [], (
            agent
        )


def _measured() -> list[dict[str, Any]]:
    lines = (ROOT / "benchmarks" / "narrow_questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_no_question_is_one_that_measures_them() -> None:
    measured = {fold(row["query"]) for row in _measured()}
    assert measured.isdisjoint(fold(text) for found in STATEMENTS for text in found.questions)


def test_questions_that_measure_them_name_statements_that_stand_in_the_entry() -> None:
    for row in _measured():
        held = {id_ for _, id_, _ in CATALOG.agents[row["agent"]].entries[row["capability"]].statements}
        assert row["statements"], row
        assert held.issuperset(row["statements"]), row
