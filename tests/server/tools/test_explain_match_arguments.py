from typing import Any

import pytest

from server.matching.service import Service
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer, error

FULL = Start(profile=parse_profile("full"))


def explained(service: Service, phrase: str, **more: Any) -> dict[str, Any]:
    return answer(service, "explain_match", {"phrase": phrase, **more})


def refused(service: Service, **arguments: Any) -> str:
    return error(service, "explain_match", arguments)


def test_spelling_that_was_corrected_is_shown(subtests: pytest.Subtests, service: Service) -> None:
    cases: list[tuple[str, str | None]] = [("resstore my files", "restore my files"), ("restore my files", None)]
    for phrase, read_as in cases:
        with subtests.test(phrase=phrase, read_as=read_as):
            assert (explained(service, phrase)).get("readAs") == read_as


def test_a_long_phrase_and_its_correction_are_repeated_in_part(service: Service) -> None:
    found = explained(service, "resstore my files " * 15)
    assert (len(found["query"]), len(found["readAs"])) == (200, 200)
    assert found["query"].endswith("...")
    assert found["readAs"].startswith("restore my files restore")
    assert found["readAs"].endswith("...")


def test_an_over_long_phrase_is_repeated_in_part_and_not_corrected(service: Service) -> None:
    found = explained(service, "resstore my files " * 10_000)
    assert found["query"] == ("resstore my files " * 12)[:197] + "..."
    assert "readAs" not in found


def test_a_capability_that_was_expected_by_its_name_has_its_case(service: Service) -> None:
    for name in ["MCP Support", "mcp-support", "mcp"]:
        found = explained(service, "restore what was there", capability=name)
        asked = found["askedAbout"]
        assert "match" not in asked, name
        assert {key: asked[key] for key in asked if key != "place"} == found["candidates"][asked["place"] - 1], name


def test_what_was_expected_is_understood_in_any_wording(service: Service) -> None:
    asked = (explained(service, "restore", capability="connect outside tools please"))["askedAbout"]
    assert (asked["name"], asked["match"]["matchedBy"]) == ("MCP Support", "embedding")
    assert asked["match"]["query"] == "connect outside tools please"


def test_an_expectation_that_fits_nothing_is_said_to(service: Service) -> None:
    found = explained(service, "restore", capability="how much does it cost")
    assert "askedAbout" not in found
    assert "'how much does it cost' fits no known name" in found["why"]


def test_without_a_capability_there_is_no_case_to_ask_about(service: Service) -> None:
    cases: list[dict[str, str]] = [{}, {"capability": ""}, {"capability": " "}]
    for more in cases:
        assert "askedAbout" not in explained(service, "restore", **more), more


def test_a_blank_phrase_is_refused_with_an_example(subtests: pytest.Subtests, service: Service) -> None:
    for phrase in ["", " \n"]:
        with subtests.test(phrase=phrase):
            message = refused(service, phrase=phrase, capability="Vision")
            assert f"blank ({phrase!r})" in message
            assert "such as 'undo changes'" in message


def test_a_missing_phrase_is_named(service: Service) -> None:
    assert (refused(service, capability="Vision")).startswith("explain_match needs the argument 'phrase'")
