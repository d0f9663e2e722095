"""Rules for `data/facets.json` and `data/agents/*/cells.json`, as CONTRIBUTING states them."""

import json
from collections import Counter
from pathlib import Path

from embeddings.text.normalization import fold
from server.catalog.facets import key_of
from server.catalog.loading import load_catalog
from server.paths import shipped_data
from tests.data.shipped import NAMES

CATALOG = load_catalog(shipped_data())
FACETS = {key_of(name, facet): facet for name, facets in CATALOG.facets.items() for facet in facets}
ROOT = Path(__file__).resolve().parents[2]
MIN_PHRASINGS = 8
LONGEST_QUESTION = 125


def test_every_capability_has_facets() -> None:
    assert [name for name in NAMES if not CATALOG.facets.get(name)] == []


def test_every_agent_answers_every_facet() -> None:
    for agent in CATALOG.agents.values():
        assert sorted(FACETS.keys() - agent.cells.keys()) == [], agent.id


def test_a_facet_has_three_agents_with_a_known_answer() -> None:
    known = Counter(
        key for agent in CATALOG.agents.values() for key, cell in agent.cells.items() if cell.verdict != "undocumented"
    )
    assert [key for key in FACETS if known[key] < 3] == []


def test_a_facet_has_phrasings() -> None:
    few = {key: len(CATALOG.facet_phrasings[key].wished) for key in FACETS}
    assert {key: count for key, count in few.items() if count < MIN_PHRASINGS} == {}


def test_no_two_facets_ask_the_same() -> None:
    counts = Counter((key.partition("/")[0], fold(facet.question)) for key, facet in FACETS.items())
    assert [question for question, times in counts.items() if times > 1] == []


def test_a_question_is_short() -> None:
    assert [key for key, facet in FACETS.items() if len(facet.question) > LONGEST_QUESTION] == []


def test_no_phrasing_of_a_facet_is_a_development_query() -> None:
    lines = (ROOT / "benchmarks" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    asked = {fold(json.loads(line)["query"]) for line in lines}
    said = {fold(text) for texts in CATALOG.facet_phrasings.values() for text in (*texts.wished, *texts.against)}
    assert asked.isdisjoint(said)
