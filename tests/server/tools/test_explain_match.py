import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from embeddings.index.fitted_index import EMBEDDING_SIGNALS, LABEL_SIGNALS, NONE_SIGNALS, SIGNALS
from server.matching.service import Service, open_service
from server.tools.evidence import LEGEND
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer
from tests.toy import ToyEncoder

FULL = Start(profile=parse_profile("full"))
PHRASES = ("restore what was there", "resstore my files", "history", "zzz qqq")


def explained(service: Service, phrase: str, **more: Any) -> dict[str, Any]:
    return answer(service, "explain_match", {"phrase": phrase, **more})


def cases(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [*found["candidates"], *([found["askedAbout"]] if "askedAbout" in found else []), found["nothingFits"]]


def test_a_clear_phrase_is_explained_by_its_signals_and_its_nearest_text(service: Service) -> None:
    found = explained(service, "restore what was there")
    assert set(found) == {"query", "decision", "why", "candidates", "nothingFits", "legend"}
    assert (found["query"], found["decision"]) == ("restore what was there", "resolved")
    best = found["candidates"][0]
    assert {"kernel", "cosine", "spelling"} <= set(best.pop("parts")) <= set(LABEL_SIGNALS)
    assert best == {
        "name": "Checkpoints",
        "matchConfidence": 0.999,
        "nearestPhrase": "rewind",
        "nearestKind": "alias",
        "nearness": 1.0,
    }


def test_the_case_for_nothing_has_signals_of_its_own(degraded_service: Service) -> None:
    found = explained(degraded_service, "how much does it cost me")
    assert found["decision"] == "no_match"
    nothing = found["nothingFits"]
    assert (nothing["name"], nothing["nearestKind"]) == ("(none of them)", "phrasing")
    assert nothing["nearestPhrase"] == "how much does it cost"
    assert nothing["matchConfidence"] > 0.5
    assert set(nothing["parts"]) <= set(NONE_SIGNALS)
    assert all(set(case["parts"]) <= set(LABEL_SIGNALS) for case in found["candidates"])


def test_a_signal_that_adds_next_to_nothing_is_left_out(toy_service: Service) -> None:
    found = explained(toy_service, "undo connect connect connect")
    assert [(case["name"], case["parts"]) for case in cases(found) if 0 in case["parts"].values()] == []


def test_the_legend_has_every_signal_of_the_answer_and_no_other(service: Service) -> None:
    found = explained(service, "restore my files", capability="Vision")
    told = [signal for signals in found["legend"] for signal in signals.split(", ")]
    assert sorted(told) == sorted({signal for case in cases(found) for signal in case["parts"]})


def test_every_signal_has_a_meaning() -> None:
    assert sorted(chain.from_iterable(LEGEND.values())) == sorted(SIGNALS)


def test_the_confidences_of_all_cases_add_up_to_certainty(service: Service) -> None:
    found = explained(service, "zzz qqq")
    assert sum(case["matchConfidence"] for case in cases(found)) == pytest.approx(1, abs=0.002)


def test_a_name_or_alias_is_said_to_decide(subtests: pytest.Subtests, service: Service) -> None:
    for phrase in ["Checkpoints", "rewind"]:
        with subtests.test(phrase=phrase):
            found = explained(service, phrase)
            assert (found["decision"], found["named"]) == ("resolved", "Checkpoints")


def test_a_phrase_that_is_no_name_is_explained_with_the_confidences_of_its_match(
    service: Service, subtests: pytest.Subtests
) -> None:
    for phrase in PHRASES:
        with subtests.test(phrase=phrase):
            found = explained(service, phrase)
            matched = answer(service, "match_capability", {"phrase": phrase})
            assert found["decision"] == matched["decision"]
            assert "named" not in found
            assert [(case["name"], case["matchConfidence"]) for case in found["candidates"]] == [
                (match["name"], match["matchConfidence"]) for match in matched["matches"]
            ]


def test_an_explanation_without_the_model_says_so_and_knows_no_meaning(degraded_service: Service) -> None:
    for phrase in PHRASES:
        found = explained(degraded_service, phrase)
        assert found["degraded"] is True, phrase
        assert not {signal for case in cases(found) for signal in case["parts"]} & set(EMBEDDING_SIGNALS), phrase


def test_a_matcher_that_gets_its_model_in_between_gives_one_explanation(
    service: Service, degraded_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = degraded_service.matchers.get(), service.matchers.get()
    rest = [before]
    monkeypatch.setattr(service.matchers, "get", lambda: rest.pop() if rest else after)
    found = explained(service, "restore what was there")
    by_meaning = "kernel" in found["candidates"][0]["parts"]
    assert found.get("degraded", False) is not by_meaning


def test_a_catalog_without_phrases_out_of_scope_has_no_text_near_nothing(toy_data: Path) -> None:
    path = toy_data / "phrasings.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"outOfScope": []}
    path.write_text(json.dumps(content), encoding="utf-8")
    service = open_service(toy_data, lambda threads: ToyEncoder())
    service.matchers.load()
    found = explained(service, "zzz qqq")
    assert set(found["nothingFits"]) == {"name", "matchConfidence", "parts"}


def test_undoing_is_not_mcp_for_reasons(shipped_service: Service) -> None:
    found = explained(shipped_service, "can it undo what it did?", capability="MCP Support")
    assert (found["decision"], len(found["candidates"])) == ("resolved", 3)
    best, asked = found["candidates"][0], found["askedAbout"]
    assert (best["name"], asked["name"]) == ("Checkpoints", "MCP Support")
    assert asked not in found["candidates"]
    assert sum(asked["parts"].values()) < sum(best["parts"].values())
    assert best["nearness"] > asked["nearness"] > 0
