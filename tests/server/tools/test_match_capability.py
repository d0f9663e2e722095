from typing import Any

import pytest

from embeddings.ranking.match_result import Note
from server.matching.phrase_service import LONGEST_PHRASE
from server.matching.service import Service
from server.tools.answers import HINT_AMBIGUOUS, HINT_NO_MATCH, NOTE_HINTS
from server.toolset.profiles import parse_profile
from server.toolset.start import Start
from tests.server.calls import MODES, answer, error

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]
FULL = Start(profile=parse_profile("full"))


async def matched(service: Service, mode: str, phrase: Any, **more: Any) -> dict[str, Any]:
    return await answer(service, mode, "match_capability", {"phrase": phrase, **more}, start=FULL)


async def refused(service: Service, mode: str, **arguments: Any) -> str:
    return await error(service, mode, "match_capability", arguments, start=FULL)


async def test_a_name_is_certain_and_stands_alone(service: Service, mode: str) -> None:
    assert await matched(service, mode, "checkpoints?") == {
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


async def test_an_alias_is_certain_and_stands_alone(service: Service, mode: str) -> None:
    assert (await matched(service, mode, "mcp"))["matches"] == [
        {"name": "MCP Support", "category": "api-integration", "matchConfidence": 1.0, "matchedBy": "alias"}
    ]


@pytest.mark.parametrize("phrase", ["mcp", "Checkpoints"])
@pytest.mark.parametrize("top", [2, 3])
async def test_a_name_or_alias_is_followed_by_others_where_their_number_is_given(
    service: Service, mode: str, phrase: str, top: int
) -> None:
    found = await matched(service, mode, phrase, top=top)
    best, *others = found["matches"]
    assert (found["decision"], [best]) == ("resolved", (await matched(service, mode, phrase))["matches"])
    assert len(others) == top - 1
    assert all(other["matchConfidence"] < 1 for other in others)


async def test_a_phrase_that_is_clear_is_resolved_without_a_hint(service: Service, mode: str) -> None:
    found = await matched(service, mode, "restore what was there")
    assert set(found) == {"query", "decision", "noneConfidence", "matches"}
    assert found["decision"] == "resolved"
    best, *others = found["matches"]
    assert (best["name"], best["category"], best["matchedBy"]) == ("Checkpoints", "agent-orchestration", "embedding")
    assert 0.8 < best["matchConfidence"] < 1
    assert {other["name"] for other in others} == {"MCP Support", "Vision"}


@pytest.mark.parametrize(
    ("phrase", "note"),
    [
        ("can I undo it, and can it see a picture?", "several_needs"),
        ("I do not want to restore my files, can it see a picture?", "negated"),
        ("restore my files " * 1000, "truncated"),
    ],
)
async def test_what_a_match_cannot_say_is_noted_with_a_hint(
    service: Service, mode: str, phrase: str, note: Note
) -> None:
    found = await matched(service, mode, phrase)
    assert found["notes"] == [note]
    assert NOTE_HINTS[note] in found["hint"]


async def test_an_alias_of_two_capabilities_is_ambiguous_between_them(service: Service, mode: str) -> None:
    found = await matched(service, mode, "history")
    assert (found["decision"], found["hint"]) == ("ambiguous", HINT_AMBIGUOUS)
    assert [(match["matchConfidence"], match["matchedBy"]) for match in found["matches"]] == [
        (0.5, "alias"),
        (0.5, "alias"),
        (0.0, "embedding"),
    ]
    assert {match["name"] for match in found["matches"][:2]} == {"Checkpoints", "Vision"}


async def test_a_phrase_that_fits_nothing_has_weak_guesses_and_a_hint(service: Service, mode: str) -> None:
    found = await matched(service, mode, "zzz qqq")
    assert (found["decision"], found["hint"]) == ("no_match", HINT_NO_MATCH)
    assert len(found["matches"]) == 3
    assert all(match["matchConfidence"] < 0.1 for match in found["matches"])


async def test_what_the_model_does_not_see_is_matched_by_its_letters(service: Service, mode: str) -> None:
    best = (await matched(service, mode, "chekpoints"))["matches"][0]
    assert (best["name"], best["matchedBy"]) == ("Checkpoints", "lexical")


@pytest.mark.parametrize("phrase", ["restore my fils", "history", "zzz qqq"])
async def test_confidences_are_rounded_probabilities_in_falling_order(service: Service, mode: str, phrase: str) -> None:
    found = [match["matchConfidence"] for match in (await matched(service, mode, phrase))["matches"]]
    assert found == sorted(found, reverse=True)
    assert found == [round(confidence, 3) for confidence in found]
    assert 0 < sum(found) <= 1.001


@pytest.mark.parametrize("phrase", ["Vision", "restore what was there", "history", "zzz qqq"])
async def test_an_answer_without_the_model_says_so_and_claims_no_meaning(
    degraded_service: Service, mode: str, phrase: str
) -> None:
    found = await matched(degraded_service, mode, phrase)
    assert found["degraded"] is True
    assert "embedding" not in {match["matchedBy"] for match in found["matches"]}


@pytest.mark.parametrize("top", [1, 2, 10])
async def test_there_are_no_more_matches_than_asked_for_and_than_there_are(
    service: Service, mode: str, top: int
) -> None:
    everything = (await matched(service, mode, "zzz qqq"))["matches"]
    assert (await matched(service, mode, "zzz qqq", top=top))["matches"] == everything[:top]


@pytest.mark.parametrize(
    ("top", "rule"), [(0, "than or equal to 1;"), (-1, "than or equal to 1;"), (11, "than or equal to 10;")]
)
async def test_a_number_of_matches_out_of_range_is_refused_with_the_limit(
    service: Service, mode: str, top: int, rule: str
) -> None:
    message = await refused(service, mode, phrase="undo", top=top)
    assert message.startswith(f"match_capability got {top} for 'top'")
    assert rule in message


@pytest.mark.parametrize("top", ["many", 2.5, None, [3]])
async def test_a_number_of_matches_that_is_none_is_refused(service: Service, mode: str, top: Any) -> None:
    message = await refused(service, mode, phrase="undo", top=top)
    assert message.startswith(f"match_capability got {top!r} for 'top'")


@pytest.mark.parametrize("phrase", ["", " \n"])
async def test_a_blank_phrase_is_refused_with_an_example(service: Service, mode: str, phrase: str) -> None:
    message = await refused(service, mode, phrase=phrase)
    assert f"blank ({phrase!r})" in message
    assert "such as 'undo changes'" in message


async def test_a_missing_phrase_is_named(service: Service, mode: str) -> None:
    assert (await refused(service, mode)).startswith("match_capability needs the argument 'phrase'")


@pytest.mark.parametrize(("length", "shown"), [(200, "x" * 200), (201, "x" * 197 + "..."), (9_999, "x" * 197 + "...")])
async def test_a_phrase_is_repeated_up_to_200_characters(service: Service, mode: str, length: int, shown: str) -> None:
    assert (await matched(service, mode, "x" * length))["query"] == shown


async def test_an_over_long_phrase_is_understood_by_its_beginning(service: Service, mode: str) -> None:
    meant, other = "restore ".ljust(LONGEST_PHRASE, "x"), " connect outside tools" * 1_000
    cut, whole = await matched(service, mode, meant + other), await matched(service, mode, meant)
    assert cut["matches"] == whole["matches"]
    assert (cut["notes"], whole.get("notes")) == (["truncated"], None)


async def test_an_alias_has_five_readings_if_five_are_asked_for(shipped_service: Service, mode: str) -> None:
    found = (await matched(shipped_service, mode, "yolo mode", top=5))["matches"]
    assert (found[0]["name"], found[0]["matchConfidence"], len(found)) == ("Permission Controls", 1.0, 5)


@pytest.mark.parametrize(("top", "count"), [({}, 3), ({"top": 1}, 1), ({"top": 10}, 10)])
async def test_undoing_is_checkpoints(shipped_service: Service, mode: str, top: dict[str, int], count: int) -> None:
    found = await matched(shipped_service, mode, "can it undo what it did?", **top)
    assert (found["decision"], len(found["matches"])) == ("resolved", count)
    assert (found["matches"][0]["name"], found["matches"][0]["category"]) == ("Checkpoints", "agent-orchestration")


async def test_the_weather_is_no_capability(shipped_service: Service, mode: str) -> None:
    found = await matched(shipped_service, mode, "what is the weather")
    assert (found["decision"], found["hint"]) == ("no_match", HINT_NO_MATCH)
