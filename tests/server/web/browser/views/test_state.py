"""The address's fragment holds what the page shows."""

import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import (
    FRAGMENTS,
    PHRASE,
    VIEWS,
    candidates,
    navigation,
    phrase_box,
    settled,
    shown,
)
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

WITHIN: Final = {"label": "map", "entry": "agents"}


@pytest.fixture
def page(shipped: Process, visits: Visits) -> "Page":
    return visits.page(shipped.address)


@pytest.mark.parametrize("view", FRAGMENTS)
def test_a_fragment_opens_its_view(shipped: Process, visits: Visits, view: str) -> None:
    page = visits.page(shipped.address, FRAGMENTS[view])
    expect(shown(page, WITHIN.get(view, view))).to_be_visible()


@pytest.mark.parametrize("view", FRAGMENTS)
def test_the_page_loaded_again_shows_the_same(shipped: Process, visits: Visits, view: str) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS[view]))
    before = page.get_by_role("main").get_by_role("heading").all_inner_texts()
    page.reload()
    settled(page)
    assert page.get_by_role("main").get_by_role("heading").all_inner_texts() == before


def test_an_unknown_view_opens_the_first(shipped: Process, visits: Visits) -> None:
    page = visits.page(shipped.address, "#nowhere?q=undo")
    expect(shown(page, "try")).to_be_visible()


def test_what_is_typed_is_in_the_address(page: "Page") -> None:
    phrase_box(page).fill("rückgängig & zurück")
    page.wait_for_function("() => new URLSearchParams(location.hash.split('?')[1]).get('q') === 'rückgängig & zurück'")


def test_typing_leaves_one_step_in_the_history(page: "Page") -> None:
    navigation(page).get_by_role("link", name="Try").click()
    before = page.evaluate("() => history.length")
    phrase_box(page).press_sequentially("undo it", delay=40)
    page.wait_for_function("() => location.hash.includes('undo')")
    assert page.evaluate("() => history.length") == before


def test_back_leads_to_the_phrase_that_was_typed(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    expect(candidates(page).first).to_contain_text("Checkpoints")
    navigation(page).get_by_role("link", name=VIEWS["health"]).click()
    expect(shown(page, "health")).to_be_visible()
    page.go_back()
    expect(phrase_box(page)).to_have_value(PHRASE)
    expect(candidates(page).first).to_contain_text("Checkpoints")


def test_another_fragment_typed_into_the_address_is_followed(page: "Page") -> None:
    phrase_box(page).fill("undo")
    page.evaluate("() => { location.hash = '#try?q=plug%20in%20outside%20tools' }")
    expect(phrase_box(page)).to_have_value("plug in outside tools")
    expect(candidates(page).first).to_contain_text(re.compile("MCP"))
