import json
from typing import Any

import pytest

from embeddings.metrics import evaluate
from embeddings.ranking.match_result import DEFAULT_TOP, Decision, Match, MatchResult
from server.errors import CallerError
from server.evals.labelled_queries import parse_queries
from server.matching.service import Service
from server.web.answers import coverage as module
from server.web.answers.coverage import coverage

ROWS = [("rewind back", ["Checkpoints"]), ("undo and see", ["Checkpoints"]), ("plug outside", []), ("is it down", [])]
CONTENT = "\n".join(json.dumps({"query": query, "gold": gold}) for query, gold in ROWS)


class Answering:
    """A matcher that answers as told."""

    def __init__(self, answers: dict[str, tuple[Decision, list[str], float]]) -> None:
        self.answers = answers
        self.names = ["A", "B", "C", "D"]
        self.is_degraded = False
        self.asked: list[str] = []

    def match(self, phrase: str, top: int) -> MatchResult:
        self.asked.append(phrase)
        decision, names, confidence = self.answers[phrase]
        matches = tuple(Match(name, confidence, "embedding") for name in names)
        return MatchResult(phrase, decision, False, matches)


def told(service: Service, monkeypatch: pytest.MonkeyPatch, *rows: tuple[str, list[str], Any]) -> dict[str, Any]:
    """Return the coverage of rows, each with its gold labels and what the matcher answers."""
    monkeypatch.setattr(service.matchers, "get", lambda: Answering({query: answer for query, _, answer in rows}))
    lines = [json.dumps({"query": query, "gold": gold}) for query, gold, _ in rows]
    return coverage(service, "\n".join(lines), "x")


def test_figures_are_those_of_eval_matcher(service: Service) -> None:
    queries = parse_queries(CONTENT, "x")
    wanted = evaluate(queries, [service.match(query.query, DEFAULT_TOP) for query in queries]).to_dict()
    found = coverage(service, CONTENT, "x")
    assert found["queries"] == 4
    assert found["intervals"] == wanted["intervals"]
    assert found["figures"] == {name: wanted[name] for name in wanted["intervals"]}
    assert "top1" in found["figures"]


def test_every_query_is_in_the_reliability_diagram(service: Service) -> None:
    assert sum(bar["count"] for bar in coverage(service, CONTENT, "x")["reliability"]) == 4


def test_answers_to_what_nothing_fits_come_before_other_wrong_ones(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(
        service,
        monkeypatch,
        ("missed", ["A"], ("no_match", ["A", "B", "C"], 0.3)),
        ("wrong, less sure", ["A"], ("resolved", ["B", "A", "C"], 0.8)),
        ("wrong", ["A"], ("resolved", ["B", "A", "C"], 0.9)),
        ("unfounded", [], ("resolved", ["B", "A", "C"], 0.7)),
        ("useless", ["D"], ("ambiguous", ["A", "B", "C"], 0.4)),
    )
    queries = [miss["query"] for miss in found["misses"]]
    assert queries == ["unfounded", "wrong", "wrong, less sure", "useless", "missed"]
    assert found["misses"][0] == {
        "query": "unfounded",
        "gold": [],
        "answered": "B",
        "decision": "resolved",
        "matchConfidence": 0.7,
    }


def test_what_was_answered_well_is_no_miss(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(
        service,
        monkeypatch,
        ("right", ["A"], ("resolved", ["A", "B", "C"], 0.9)),
        ("among the candidates", ["C"], ("ambiguous", ["A", "B", "C"], 0.4)),
        ("nothing fits", [], ("no_match", ["A", "B", "C"], 0.2)),
        ("candidates for nothing", [], ("ambiguous", ["A", "B", "C"], 0.3)),
    )
    assert found["misses"] == []


def test_at_most_fifty_misses_are_listed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"q{number}", ["A"], ("no_match", ["B"], 0.1)) for number in range(60)]
    assert len(told(service, monkeypatch, *rows)["misses"]) == 50


def test_a_very_long_query_is_matched_by_its_beginning_and_listed_whole(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = Answering({"x" * 10_000: ("resolved", ["B"], 0.9)})
    monkeypatch.setattr(service.matchers, "get", lambda: matcher)
    found = coverage(service, json.dumps({"query": "x" * 10_001, "gold": []}), "x")
    assert found["misses"][0]["query"] == "x" * 10_001


def test_too_many_queries_are_refused_before_any_is_matched(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_QUERIES", 3)
    matcher = Answering({})
    monkeypatch.setattr(service.matchers, "get", lambda: matcher)
    with pytest.raises(CallerError, match="holds 4 queries; at most 3"):
        coverage(service, CONTENT, "x")
    assert matcher.asked == []


def test_a_label_that_the_catalog_lacks_is_the_callers_mistake(service: Service) -> None:
    with pytest.raises(CallerError, match="gold labels that the catalog lacks: Nobody"):
        coverage(service, '{"query": "x", "gold": ["Nobody"]}', "x")


def test_figures_of_a_degraded_matcher_are_marked(degraded_service: Service) -> None:
    assert coverage(degraded_service, CONTENT, "x")["catalog"].endswith("-degraded")
