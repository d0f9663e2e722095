from typing import Any

import pytest

from server.matching.service import Service
from server.toolset.profiles import parse_profile
from server.toolset.start import Start
from tests.server.calls import MODES, answer, error

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]
FULL = Start(profile=parse_profile("full"))


async def explained(service: Service, mode: str, phrase: str, **more: Any) -> dict[str, Any]:
    return await answer(service, mode, "explain_match", {"phrase": phrase, **more}, start=FULL)


async def refused(service: Service, mode: str, **arguments: Any) -> str:
    return await error(service, mode, "explain_match", arguments, start=FULL)


@pytest.mark.parametrize(("phrase", "read_as"), [("resstore my files", "restore my files"), ("restore my files", None)])
async def test_spelling_that_was_corrected_is_shown(
    service: Service, mode: str, phrase: str, read_as: str | None
) -> None:
    assert (await explained(service, mode, phrase)).get("readAs") == read_as


async def test_a_long_phrase_and_its_correction_are_repeated_in_part(service: Service, mode: str) -> None:
    found = await explained(service, mode, "resstore my files " * 15)
    assert (len(found["query"]), len(found["readAs"])) == (200, 200)
    assert found["query"].endswith("...")
    assert found["readAs"].startswith("restore my files restore")
    assert found["readAs"].endswith("...")


async def test_an_over_long_phrase_is_repeated_in_part_and_not_corrected(service: Service, mode: str) -> None:
    found = await explained(service, mode, "resstore my files " * 10_000)
    assert found["query"] == ("resstore my files " * 12)[:197] + "..."
    assert "readAs" not in found


@pytest.mark.parametrize("name", ["MCP Support", "mcp-support", "mcp"])
async def test_a_capability_that_was_expected_by_its_name_has_its_case(service: Service, mode: str, name: str) -> None:
    found = await explained(service, mode, "restore what was there", capability=name)
    asked = found["askedAbout"]
    assert "match" not in asked
    assert {key: asked[key] for key in asked if key != "place"} == found["candidates"][asked["place"] - 1]


async def test_what_was_expected_is_understood_in_any_wording(service: Service, mode: str) -> None:
    asked = (await explained(service, mode, "restore", capability="connect outside tools please"))["askedAbout"]
    assert (asked["name"], asked["match"]["matchedBy"]) == ("MCP Support", "embedding")
    assert asked["match"]["query"] == "connect outside tools please"


async def test_an_expectation_that_fits_nothing_is_said_to(service: Service, mode: str) -> None:
    found = await explained(service, mode, "restore", capability="how much does it cost")
    assert "askedAbout" not in found
    assert "'how much does it cost' fits no known name" in found["why"]


@pytest.mark.parametrize("more", [{}, {"capability": ""}, {"capability": " "}])
async def test_without_a_capability_there_is_no_case_to_ask_about(
    service: Service, mode: str, more: dict[str, str]
) -> None:
    assert "askedAbout" not in await explained(service, mode, "restore", **more)


@pytest.mark.parametrize("phrase", ["", " \n"])
async def test_a_blank_phrase_is_refused_with_an_example(service: Service, mode: str, phrase: str) -> None:
    message = await refused(service, mode, phrase=phrase, capability="Vision")
    assert f"blank ({phrase!r})" in message
    assert "such as 'undo changes'" in message


async def test_a_missing_phrase_is_named(service: Service, mode: str) -> None:
    assert (await refused(service, mode, capability="Vision")).startswith("explain_match needs the argument 'phrase'")
