"""Typing faster than answers come."""

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import candidates, phrase_box, verdict
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Route

pytestmark = pytest.mark.slow

PHRASE: Final = "connect it to outside tools with a protocol"


@pytest.fixture
def page(shipped: Process, visits: Visits) -> "Page":
    page = visits.page(shipped.address, "#try")
    expect(phrase_box(page)).to_be_focused()
    return page


def phrase_of(request: "Request") -> str:
    return parse_qs(urlsplit(request.url).query).get("q", [""])[0]


def test_of_ten_keys_a_second_the_last_one_wins(page: "Page") -> None:
    phrase_box(page).press_sequentially(PHRASE, delay=100)
    expect(candidates(page).first).to_contain_text("MCP Support")
    page.wait_for_timeout(1000)
    expect(candidates(page).first).to_contain_text("MCP Support")


def test_an_answer_that_comes_late_does_not_replace_a_newer_one(page: "Page") -> None:
    def late(route: "Route") -> None:
        if phrase_of(route.request) == "undo":
            page.wait_for_timeout(1500)
        route.continue_()

    page.route("**/api/match*", late)
    phrase_box(page).fill("undo")
    phrase_box(page).fill(PHRASE)
    expect(candidates(page).first).to_contain_text("MCP Support")
    page.wait_for_timeout(2000)
    expect(candidates(page).first).to_contain_text("MCP Support")


def test_superseded_questions_are_given_up(page: "Page") -> None:
    given_up: list[str] = []
    answered: list[str] = []
    page.on("requestfailed", lambda request: given_up.append(phrase_of(request)))
    page.on("requestfinished", lambda request: answered.append(phrase_of(request)))
    page.evaluate(
        """() => { const box = document.activeElement;
        for (const text of ["c", "co", "con", "conn", "connect"]) {
          box.value = text; box.dispatchEvent(new InputEvent("input", {bubbles: true})); } }"""
    )
    expect(verdict(page)).to_be_visible()
    assert "connect" in answered
    assert "conn" in given_up
    assert "connect" not in given_up


def test_a_box_emptied_while_an_answer_is_on_its_way_stays_empty(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    phrase_box(page).fill("")
    page.wait_for_timeout(1500)
    expect(candidates(page)).to_have_count(0)
