import json
from pathlib import Path

import pytest

from embeddings.matcher import Matcher
from embeddings.ranking.rankers import FullRanker
from server.errors import CallerError
from server.matching.service import Service
from server.web.answers.label_detail import catalog_id
from server.web.answers.plane import Planes, tried
from tests.server.label_catalog import CATALOG, label_service


def test_candidates_are_the_matches_with_their_evidence(service: Service) -> None:
    answer = tried(service, "plug outside", 2, None)
    result = service.match("plug outside", 2)
    assert [each["name"] for each in answer["candidates"]] == [match.name for match in result.matches]
    assert [each["matchedBy"] for each in answer["candidates"]] == [match.matched_by for match in result.matches]
    assert answer["decision"] == result.decision == "resolved"
    best = answer["candidates"][0]
    assert best["category"] == "api-integration"
    assert best["matchConfidence"] == round(result.matches[0].match_confidence, 3)
    assert best["parts"]["kernel"] > answer["candidates"][1]["parts"].get("kernel", 0.0)


def test_candidates_have_their_evidence_and_so_has_none_of_them(service: Service) -> None:
    candidate = tried(service, "plug in the outside", 1, None)["candidates"][0]
    nearness = [phrase["nearness"] for phrase in candidate["nearest"]]
    assert nearness == sorted(nearness, reverse=True)
    assert len(nearness) == 3
    assert candidate["nearest"][0] == {"text": "snapshots of tools", "kind": "alias", "nearness": 1.0}
    none = tried(service, "how much is it to undo", 3, None)["none"]
    assert "none" in none["parts"]
    assert {phrase["text"] for phrase in none["nearest"]} >= {"how much does it cost"}


def test_the_decision_has_the_lowest_expected_cost(service: Service) -> None:
    answer = tried(service, "undo with tools", 3, None)
    costs = answer["expectedCosts"]
    assert set(costs) == {"resolved", "ambiguous", "no_match"}
    assert min(costs, key=lambda decision: costs[decision]) == answer["decision"]


def test_a_corrected_spelling_is_told(service: Service) -> None:
    assert tried(service, "rewnd it", 3, None)["readAs"] == "rewind it"
    assert "readAs" not in tried(service, "rewind it", 3, None)


def test_a_name_comes_first_unless_several_labels_have_it(service: Service) -> None:
    answer = tried(service, "mcp", 3, None)
    assert answer["named"] == answer["candidates"][0]["name"] == "MCP Support"
    assert answer["candidates"][0]["matchConfidence"] == 1.0
    assert answer["expectedCosts"]["resolved"] == 0.0
    assert len(answer["candidates"]) == 3
    answer = tried(service, "history", 3, None)
    assert answer["decision"] == "ambiguous"
    assert "named" not in answer
    assert min(answer["expectedCosts"].values()) == answer["expectedCosts"]["ambiguous"]


def test_a_phrase_is_ranked_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    ranked: list[str] = []
    original = FullRanker.rank_clauses

    def counted(self: FullRanker, phrase: str, clauses: list[str]) -> object:
        ranked.append(phrase)
        return original(self, phrase, clauses)

    monkeypatch.setattr(FullRanker, "rank_clauses", counted)
    tried(service, "plug the outside", 3, None)
    assert ranked == ["plug the outside"]


def test_the_place_on_the_map_is_that_of_the_same_phrase(service: Service) -> None:
    plane = Planes().of(service)
    assert plane is not None
    point = tried(service, "undo it", 3, plane)["point"]
    drawn = next(found for found in plane.points if found[3] == "undo it")
    assert point == pytest.approx(drawn[:2], abs=0.02)


def test_without_a_map_of_the_phrase_there_is_no_place(service: Service, tmp_path: Path) -> None:
    assert "point" not in tried(service, "undo it", 3, None)
    other = label_service(tmp_path, {"labels": [{"name": "A", "phrasings": ["undo"]}, {"name": "B"}]})
    assert "point" not in tried(service, "undo it all", 3, Planes().of(other))


def test_a_degraded_answer_says_so_and_has_no_place(service: Service, degraded_service: Service) -> None:
    answer = tried(degraded_service, "undo it all", 3, Planes().of(service))
    assert answer["degraded"] is True
    assert answer["catalog"] == catalog_id(degraded_service, degraded=True)
    assert "point" not in answer


def test_labels_have_their_ids(tmp_path: Path) -> None:
    answer = tried(label_service(tmp_path, CATALOG), "undo mcp", 3, None)
    assert {each["id"] for each in answer["candidates"]} == {"id-0", "id-1", "id-2"}
    assert all("category" not in each for each in answer["candidates"])


def test_a_phrase_is_answered_as_it_is_up_to_its_limit(service: Service) -> None:
    for phrase in ["<script>alert(1)</script> undo", "التراجع عن التغييرات", "元に戻す", "rückgängig 🙂"]:
        answer = tried(service, phrase, 3, Planes().of(service))
        assert answer["query"] == phrase, phrase
        assert json.loads(json.dumps(answer)) == answer, phrase
    answer = tried(service, "undo it " * 2_000, 3, None)
    assert "truncated" in answer["notes"]
    assert len(answer["query"]) == 10_000


def test_what_makes_no_sense_is_refused(service: Service) -> None:
    for phrase, top, bad in [(" ", 3, "blank"), ("undo", 0, "top is 0"), ("undo", -1, "top is -1")]:
        with pytest.raises(CallerError, match=bad):
            tried(service, phrase, top, None)


def test_more_candidates_than_labels_are_all_labels_and_nothing_is_null(service: Service) -> None:
    assert len(tried(service, "undo it all", 50, None)["candidates"]) == 3
    assert "null" not in json.dumps(tried(service, "undo it all", 3, None))


def test_the_whole_explanation_is_made_from_one_reading(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Matcher, "match", lambda *_: pytest.fail("the phrase was matched by itself, too"))
    result, explanation = service.explain("plug the outside")
    assert result.matches[0].name == explanation.candidates[0].name
    assert len(explanation.candidates) == 4
