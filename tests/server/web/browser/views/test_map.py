"""The map shows all phrases, and what there is to know of a label."""

from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, asked
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

MEASURED: Final = 180_000
"""Milliseconds until the health of a small catalog is known."""
DRAWN: Final = """(canvas) => {
  const seen = new Set();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4) if (data[i + 3]) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return seen.size; }"""
PICTURE: Final = "(canvas) => canvas.toDataURL()"


def canvas(page: "Page") -> "Locator":
    return page.get_by_role("img", name="Map")


def drawn(page: "Page") -> str:
    """Return the picture, once the points are on it."""
    expect(page.get_by_role("img", name="phrases of 56 labels")).to_be_visible(timeout=60_000)
    page.wait_for_timeout(500)
    return str(canvas(page).evaluate(PICTURE))


@pytest.fixture
def page(shipped: Process, visits: Visits) -> "Page":
    return visits.page(shipped.address, "#map")


def test_the_map_has_points_of_many_colours(page: "Page") -> None:
    drawn(page)
    assert canvas(page).evaluate(DRAWN) > 56

    drawn(page)


def test_the_list_has_every_label(shipped: Process, page: "Page") -> None:
    drawn(page)
    names = [label["name"] for label in asked(f"{shipped.address}api/map")["labels"]]
    links = page.get_by_role("list", name="Labels").get_by_role("link")
    expect(links).to_have_count(len(names))
    assert sorted(links.all_inner_texts()) == sorted(names)


def test_the_list_is_filtered_by_a_text(page: "Page") -> None:
    drawn(page)
    page.get_by_label("Find a label").fill("checkp")
    expect(page.get_by_role("list", name="Labels").get_by_role("link")).to_have_text(["Checkpoints"])


def test_a_label_of_the_list_opens_its_panel(page: "Page") -> None:
    drawn(page)
    page.get_by_role("list", name="Labels").get_by_role("link", name="Checkpoints").click()
    panel = page.get_by_role("region", name="Label Checkpoints")
    expect(panel.get_by_role("heading", name="Phrasings")).to_be_visible()


def test_a_panel_has_reliability_and_neighbours_once_they_are_measured(small: Process, visits: Visits) -> None:
    page = visits.page(small.address, "#label?name=Checkpoints")
    expect(page.get_by_role("heading", name="Reliability")).to_be_visible(timeout=MEASURED)
    expect(page.get_by_role("heading", name="Confused with")).to_be_visible()
    expect(page.get_by_text("phrasings were asked, each left out of the catalog meanwhile")).to_be_visible()


def test_a_panel_is_closed_and_gives_the_focus_back_to_the_list(page: "Page") -> None:
    drawn(page)
    link = page.get_by_role("list", name="Labels").get_by_role("link", name="Checkpoints")
    link.click()
    page.get_by_role("region", name="Label Checkpoints").get_by_role("button", name="Close").click()
    expect(page.get_by_role("region", name="Label Checkpoints")).to_have_count(0)
    expect(link).to_be_focused()


def tip_under_the_mouse(page: "Page") -> "Locator":
    """Move the mouse across the middle of the map, until it is on a point, and return what tells of that."""
    drawn(page)
    box = canvas(page).bounding_box()
    assert box
    tip = page.locator(".map-tip")
    for across in range(3, 20):
        page.mouse.move(box["x"] + box["width"] * across / 22, box["y"] + box["height"] / 2)
        page.wait_for_timeout(50)
        if tip.is_visible():
            break
    return tip


def test_a_point_under_the_mouse_says_its_phrase(page: "Page") -> None:
    tip = tip_under_the_mouse(page)
    expect(tip).to_be_visible()
    assert tip.inner_text().strip()


def test_a_phrase_is_drawn_on_the_map(page: "Page") -> None:
    before = drawn(page)
    page.get_by_label("Place a phrase on the map").fill("can it undo what it did")
    expect(page.get_by_role("meter", name="Confidence of Checkpoints")).to_be_visible()
    page.wait_for_timeout(500)
    assert canvas(page).evaluate(PICTURE) != before


def test_a_click_on_a_point_opens_its_label(page: "Page") -> None:
    tip_under_the_mouse(page)
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_role("main").get_by_role("heading", name="Phrasings")).to_be_visible()


@pytest.mark.parametrize("how", ["button", "wheel", "key"])
def test_the_map_zooms(page: "Page", how: str) -> None:
    before = drawn(page)
    if how == "button":
        page.get_by_role("button", name="Zoom in").click()
    elif how == "wheel":
        canvas(page).hover()
        page.mouse.wheel(0, -400)
    else:
        canvas(page).focus()
        page.keyboard.press("+")
    page.wait_for_timeout(600)
    assert canvas(page).evaluate(PICTURE) != before


def test_the_map_shows_everything_again(page: "Page") -> None:
    before = drawn(page)
    for name in ("Zoom in", "Show everything"):
        page.get_by_role("button", name=name).click()
        page.wait_for_timeout(800)
    assert canvas(page).evaluate(PICTURE) == before


def test_the_map_is_the_same_in_another_visit(shipped: Process, page: "Page", visits: Visits) -> None:
    assert drawn(page) == drawn(visits.page(shipped.address, "#map"))


def test_the_map_follows_the_colour_scheme(page: "Page") -> None:
    before = drawn(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(500)
    assert canvas(page).evaluate(PICTURE) != before


def test_the_map_follows_the_width_of_the_window(page: "Page") -> None:
    drawn(page)
    before = canvas(page).evaluate("(canvas) => canvas.width")
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_timeout(500)
    assert canvas(page).evaluate("(canvas) => canvas.width") < before
