"""The sentences with which `explain_match` says why."""

from typing import Any

import pytest

from embeddings.ranking.match_result import Decision, Match, MatchResult
from server.matching.service import Service
from server.tools.evidence import AskedAbout, Case
from server.tools.explain_match import Explained, why
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer

FULL = Start(profile=parse_profile("full"))

BEST = Case(
    name="Usage Tracking",
    match_confidence=0.8,
    parts={"kernel": 3.2, "cosine": 4.1, "spelling": 3.4},
    nearest_phrase="token usage",
    nearest_kind="alias",
    nearness=0.601,
)
ASKED = AskedAbout(
    name="Token Caching",
    match_confidence=0.02,
    parts={"kernel": -0.3, "cosine": 4.1, "spelling": 3.6},
    nearest_phrase="cached tokens",
    nearest_kind="alias",
    nearness=0.542,
    place=3,
)
NOTHING = Case(name="(none of them)", match_confidence=0.1, parts={"none": 2.3})


def told(decision: Decision, **changes: Any) -> str:
    result = MatchResult("watch my tokens", decision, False, (Match(BEST.name, 0.8, "embedding"),))
    given: dict[str, Any] = {
        "named": False,
        "cases": [BEST],
        "nothing": NOTHING,
        "expected": "caching",
        "asked": ASKED,
    } | changes
    return why(Explained(result=result, **given))


def test_the_winner_is_named_with_its_confidence_and_its_nearest_text() -> None:
    assert told("resolved", expected="", asked=None) == (
        'Usage Tracking (0.8; nearest alias "token usage", 0.60) was chosen, ahead of nothing fitting (0.1).'
    )


def test_without_a_nearest_text_the_confidence_stands_alone() -> None:
    best = BEST.model_copy(update={"nearest_phrase": None})
    assert told("resolved", cases=[best], expected="", asked=None) == (
        "Usage Tracking (0.8) was chosen, ahead of nothing fitting (0.1)."
    )


def test_a_leader_that_is_not_sure_enough_is_said_to_be_undecided_and_by_what_it_leads() -> None:
    second = ASKED.model_copy(update={"match_confidence": 0.15})
    assert told("ambiguous", cases=[BEST, second], expected="", asked=None) == (
        'Not unknown, but undecided: Usage Tracking (0.8; nearest alias "token usage", 0.60) leads, ahead of Token '
        "Caching (0.15) by kernel +3.5, too unsurely to be chosen."
    )


def test_nothing_fitting_is_explained_by_what_is_out_of_scope() -> None:
    nothing = NOTHING.model_copy(update={"match_confidence": 0.95, "nearest_phrase": "the arcade", "nearness": 0.5})
    assert told("no_match", nothing=nothing, expected="", asked=None) == (
        'That nothing fits is likeliest (0.95; nearest out-of-scope "the arcade", 0.50); the first candidate is Usage '
        'Tracking (0.8; nearest alias "token usage", 0.60).'
    )


def test_what_speaks_for_and_against_the_expected_reading_is_said() -> None:
    assert told("resolved").endswith(
        'Token Caching, the expected reading, is only number 3 (0.02; nearest alias "cached tokens", 0.54). '
        "For it: spelling +0.2; against it: kernel +3.5."
    )


def test_a_reading_for_which_no_signal_speaks_has_its_nearest_text() -> None:
    asked = ASKED.model_copy(update={"parts": {"kernel": -0.3}})
    assert "For it: its nearest text alone; against it: cosine +4.1, kernel +3.5." in told("resolved", asked=asked)


def test_a_reading_among_the_candidates_was_offered() -> None:
    assert "Token Caching, the expected reading, was offered as number 3 " in told("ambiguous")


def test_a_premise_that_does_not_hold_is_contradicted() -> None:
    cases: list[tuple[Decision, str]] = [
        ("resolved", "is what was found; nothing else was preferred to it."),
        ("ambiguous", "was not missed: it comes first among the candidates."),
        ("no_match", "comes first among the candidates, but that nothing fits is likelier."),
    ]
    for decision, said in cases:
        first = ASKED.model_copy(update={"place": 1})
        assert told(decision, asked=first).endswith(f"Token Caching, the expected reading, {said}"), (decision, said)


def test_a_confidence_that_rounds_to_nothing_is_not_called_zero() -> None:
    assert "(below 0.001; nearest" in told("resolved", asked=ASKED.model_copy(update={"match_confidence": 0.0}))


def test_a_long_text_is_cut() -> None:
    best = BEST.model_copy(update={"nearest_phrase": "x" * 500})
    assert f'"{"x" * 77}..."' in told("resolved", cases=[best])


@pytest.mark.anyio
def test_an_alias_decides_alone_and_the_expected_reading_is_no_name(service: Service) -> None:
    found = answer(service, "explain_match", {"phrase": "rewind", "capability": "Vision"})
    assert found["why"].startswith("The phrase is an alias of Checkpoints, which alone decides. Vision, the expected")
    assert found["why"].endswith("The phrase is not one of its names.")


@pytest.mark.anyio
def test_a_name_that_was_expected_is_said_to_be_found(service: Service) -> None:
    arguments = {"phrase": "vision", "capability": "see a picture"}
    assert (answer(service, "explain_match", arguments))["why"] == (
        "The phrase is the name of Vision, which alone decides. "
        "Vision, the expected reading, is what was found; nothing else was preferred to it."
    )


@pytest.mark.anyio
def test_an_alias_of_two_names_both(service: Service) -> None:
    found = answer(service, "explain_match", {"phrase": "history", "capability": "mcp"})
    first, second = (case["name"] for case in found["candidates"][:2])
    assert {first, second} == {"Checkpoints", "Vision"}
    assert f"a name or alias of several ({first}, {second}), so none of them was chosen." in found["why"]
    assert found["askedAbout"]["matchConfidence"] == 0.0
