from typing import Any

import pytest

from embeddings.ranking.match_result import Note
from server.matching.label_service import LONGEST_PHRASE
from server.matching.service import Service
from server.tools.answers import HINT_AMBIGUOUS, HINT_NO_MATCH, NOTE_HINTS
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer, error

FULL = Start(profile=parse_profile("full"))


def matched(service: Service, phrase: Any, **more: Any) -> dict[str, Any]:
    return answer(service, "match_capability", {"phrase": phrase, **more})


def refused(service: Service, **arguments: Any) -> str:
    return error(service, "match_capability", arguments)


def test_a_name_is_certain_and_stands_alone(service: Service) -> None:
    assert matched(service, "checkpoints?") == {
        "query": "checkpoints?",
        "decision": "resolved",
        "noneConfidence": 0.0,
        "matches": [
            {
                "name": "Checkpoints",
                "category": "agent-orchestration",
                "matchConfidence": 1.0,
                "matchedBy": "exact",
            }
        ],
    }


def test_an_alias_is_certain_and_stands_alone(service: Service) -> None:
    assert (matched(service, "mcp"))["matches"] == [
        {"name": "MCP Support", "category": "api-integration", "matchConfidence": 1.0, "matchedBy": "alias"}
    ]


def test_a_name_or_alias_is_followed_by_others_where_their_number_is_given(
    service: Service, subtests: pytest.Subtests
) -> None:
    for phrase in ["mcp", "Checkpoints"]:
        for top in [2, 3]:
            with subtests.test(phrase=phrase, top=top):
                found = matched(service, phrase, top=top)
                best, *others = found["matches"]
                assert (found["decision"], [best]) == ("resolved", (matched(service, phrase))["matches"])
                assert len(others) == top - 1
                assert all(other["matchConfidence"] < 1 for other in others)


def test_a_phrase_that_is_clear_is_resolved_without_a_hint(service: Service) -> None:
    found = matched(service, "restore what was there")
    assert set(found) == {"query", "decision", "noneConfidence", "matches"}
    assert found["decision"] == "resolved"
    best, *others = found["matches"]
    assert (best["name"], best["category"], best["matchedBy"]) == ("Checkpoints", "agent-orchestration", "embedding")
    assert 0.8 < best["matchConfidence"] < 1
    assert {other["name"] for other in others} == {"MCP Support", "Vision"}


def test_what_a_match_cannot_say_is_noted_with_a_hint(service: Service) -> None:
    cases: list[tuple[str, Note]] = [
        ("can I undo it, and can it see a picture?", "several_needs"),
        ("I do not want to restore my files, can it see a picture?", "negated"),
        ("restore my files " * 1000, "truncated"),
    ]
    for phrase, note in cases:
        found = matched(service, phrase)
        assert found["notes"] == [note], (phrase, note)
        assert NOTE_HINTS[note] in found["hint"], (phrase, note)


def test_an_alias_of_two_capabilities_is_ambiguous_between_them(service: Service) -> None:
    found = matched(service, "history")
    assert (found["decision"], found["hint"]) == ("ambiguous", HINT_AMBIGUOUS)
    assert [(match["matchConfidence"], match["matchedBy"]) for match in found["matches"]] == [
        (0.5, "alias"),
        (0.5, "alias"),
        (0.0, "embedding"),
    ]
    assert {match["name"] for match in found["matches"][:2]} == {"Checkpoints", "Vision"}


def test_a_phrase_that_fits_nothing_has_weak_guesses_and_a_hint(service: Service) -> None:
    found = matched(service, "zzz qqq")
    assert (found["decision"], found["hint"]) == ("no_match", HINT_NO_MATCH)
    assert len(found["matches"]) == 3
    assert all(match["matchConfidence"] < 0.1 for match in found["matches"])


def test_what_the_model_does_not_see_is_matched_by_its_letters(service: Service) -> None:
    best = (matched(service, "chekpoints"))["matches"][0]
    assert (best["name"], best["matchedBy"]) == ("Checkpoints", "lexical")


def test_confidences_are_rounded_probabilities_in_falling_order(service: Service, subtests: pytest.Subtests) -> None:
    for phrase in ["restore my fils", "history", "zzz qqq"]:
        with subtests.test(phrase=phrase):
            found = [match["matchConfidence"] for match in (matched(service, phrase))["matches"]]
            assert found == sorted(found, reverse=True)
            assert found == [round(confidence, 3) for confidence in found]
            assert 0 < sum(found) <= 1.001


def test_an_answer_without_the_model_says_so_and_claims_no_meaning(degraded_service: Service) -> None:
    for phrase in ["Vision", "restore what was there", "history", "zzz qqq"]:
        found = matched(degraded_service, phrase)
        assert found["degraded"] is True, phrase
        assert "embedding" not in {match["matchedBy"] for match in found["matches"]}, phrase


def test_there_are_no_more_matches_than_asked_for_and_than_there_are(service: Service) -> None:
    for top in [1, 2, 10]:
        everything = (matched(service, "zzz qqq"))["matches"]
        assert (matched(service, "zzz qqq", top=top))["matches"] == everything[:top], top


def test_a_number_of_matches_out_of_range_is_refused_with_the_limit(service: Service) -> None:
    for top, rule in [(0, "than or equal to 1;"), (-1, "than or equal to 1;"), (11, "than or equal to 10;")]:
        message = refused(service, phrase="undo", top=top)
        assert message.startswith(f"match_capability got {top} for 'top'"), (top, rule)
        assert rule in message, (top, rule)


def test_a_number_of_matches_that_is_none_is_refused(service: Service) -> None:
    cases: list[Any] = ["many", 2.5, None, [3]]
    for top in cases:
        message = refused(service, phrase="undo", top=top)
        assert message.startswith(f"match_capability got {top!r} for 'top'"), top


def test_a_blank_phrase_is_refused_with_an_example(subtests: pytest.Subtests, service: Service) -> None:
    for phrase in ["", " \n"]:
        with subtests.test(phrase=phrase):
            message = refused(service, phrase=phrase)
            assert f"blank ({phrase!r})" in message
            assert "such as 'undo changes'" in message


def test_a_missing_phrase_is_named(service: Service) -> None:
    assert (refused(service)).startswith("match_capability needs the argument 'phrase'")


def test_a_phrase_is_repeated_up_to_200_characters(service: Service) -> None:
    for length, shown in [(200, "x" * 200), (201, "x" * 197 + "..."), (9_999, "x" * 197 + "...")]:
        assert (matched(service, "x" * length))["query"] == shown, (length, shown)


def test_an_over_long_phrase_is_understood_by_its_beginning(service: Service) -> None:
    meant, other = "restore ".ljust(LONGEST_PHRASE, "x"), " connect outside tools" * 1_000
    cut, whole = matched(service, meant + other), matched(service, meant)
    assert cut["matches"] == whole["matches"]
    assert (cut["notes"], whole.get("notes")) == (["truncated"], None)


def test_an_alias_has_five_readings_if_five_are_asked_for(shipped_service: Service) -> None:
    found = (matched(shipped_service, "yolo mode", top=5))["matches"]
    assert (found[0]["name"], found[0]["matchConfidence"], len(found)) == ("Permission Controls", 1.0, 5)


def test_undoing_is_checkpoints(shipped_service: Service) -> None:
    cases: list[tuple[dict[str, int], int]] = [({}, 3), ({"top": 1}, 1), ({"top": 10}, 10)]
    for top, count in cases:
        found = matched(shipped_service, "can it undo what it did?", **top)
        assert (found["decision"], len(found["matches"])) == ("resolved", count), (top, count)
        assert (found["matches"][0]["name"], found["matches"][0]["category"]) == (
            "Checkpoints",
            "agent-orchestration",
        ), (top, count)


def test_the_weather_is_no_capability(shipped_service: Service) -> None:
    found = matched(shipped_service, "what is the weather")
    assert (found["decision"], found["hint"]) == ("no_match", HINT_NO_MATCH)
