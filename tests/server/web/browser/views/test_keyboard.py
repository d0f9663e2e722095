"""Everything can be reached and used by keyboard alone."""

from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import FRAGMENTS, VIEWS, candidates, phrase_box, settled, shown
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

FOCUS: Final = """() => { const e = document.activeElement;
  return [e.tagName, e.id, (e.getAttribute('aria-label') ?? e.innerText ?? '').slice(0, 60)].join(' '); }"""
OUTLINED: Final = """() => { const e = document.activeElement, style = getComputedStyle(e);
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow !== 'none'; }"""
MAX_TABS: Final = 400


@pytest.fixture
def page(shipped: Process, visits: Visits) -> "Page":
    return visits.page(shipped.address)


def tab_to(page: "Page", name: str) -> None:
    """Press Tab until the focus is on a link with this name."""
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.textContent.trim()") == name:
            return
    pytest.fail(f"no link {name!r} has had the focus")


def typed(page: "Page", phrase: str) -> None:
    """Type into the box that has the focus as soon as the page is there."""
    expect(phrase_box(page)).to_be_focused()
    page.keyboard.type(phrase)


def test_whoever_opens_the_page_can_type_at_once(page: "Page") -> None:
    typed(page, "can it undo what it did")
    expect(candidates(page).first).to_contain_text("Checkpoints")


def test_arrows_lead_from_the_box_through_the_candidates_and_escape_leads_back(page: "Page") -> None:
    typed(page, "can it undo what it did")
    expect(candidates(page).first).to_contain_text("Checkpoints")
    page.keyboard.press("ArrowDown")
    expect(candidates(page).first.get_by_role("link", name="Checkpoints").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => !document.activeElement.closest('li').previousElementSibling.previousElementSibling")
    page.keyboard.press("Escape")
    expect(phrase_box(page)).to_be_focused()


def test_enter_opens_a_candidate(page: "Page") -> None:
    typed(page, "can it undo what it did")
    expect(candidates(page).first).to_contain_text("Checkpoints")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Checkpoints")).to_be_visible()


@pytest.mark.parametrize("view", ["map", "agents", "health"])
def test_a_view_is_opened_with_tab_and_enter(page: "Page", view: str) -> None:
    # The box takes the focus once its view is there.
    expect(phrase_box(settled(page))).to_be_focused()
    page.evaluate("() => document.activeElement.blur()")
    tab_to(page, VIEWS[view])
    page.keyboard.press("Enter")
    expect(shown(page, view)).to_be_visible()


def test_the_first_tab_offers_to_skip_to_the_content(shipped: Process, visits: Visits) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS["agents"]))
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "view"
    assert "agents" in page.url


def test_a_label_of_the_map_is_opened_and_closed_again(shipped: Process, visits: Visits) -> None:
    page = settled(visits.page(shipped.address, "#map"))
    expect(page.get_by_role("list", name="Labels").get_by_role("link").first).to_be_visible()
    page.get_by_label("Find a label").focus()
    page.keyboard.type("checkp")
    tab_to(page, "Checkpoints")
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Label Checkpoints")
    expect(panel).to_be_visible()
    assert page.evaluate("() => document.activeElement.closest('section')?.ariaLabel") == "Label Checkpoints"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(panel).to_have_count(0)


def test_keys_on_the_canvas_name_the_phrase_in_the_middle(shipped: Process, visits: Visits) -> None:
    page = settled(visits.page(shipped.address, "#map"))
    expect(page.get_by_role("img", name="phrases of 56 labels")).to_be_visible()
    page.get_by_role("img", name="Map").focus()
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".map-tip")).to_be_visible()


def test_an_entry_of_the_matrix_is_opened(shipped: Process, visits: Visits) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS["agents"]))
    tab_to(page, "Checkpoints")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main").get_by_role("heading", name="Checkpoints").first).to_be_visible()
    expect(shown(page, "agents")).to_be_visible()


@pytest.mark.parametrize("view", FRAGMENTS)
def test_tab_goes_through_a_view_and_out_of_it_and_what_has_the_focus_shows_it(
    shipped: Process, visits: Visits, view: str
) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS[view]))
    page.evaluate("() => document.activeElement.blur()")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement === document.body"):
            return
        assert page.evaluate(OUTLINED), page.evaluate(FOCUS)
