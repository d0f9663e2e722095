"""The page fits its window."""

from typing import Final

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import FRAGMENTS, settled
from tests.server.web.browser.visits import Visits

pytestmark = pytest.mark.slow

NARROW: Final = {"width": 360, "height": 740}
TOO_WIDE: Final = """() => {
  const root = document.scrollingElement;
  return root.scrollWidth > root.clientWidth ? [root.scrollWidth, ...[...document.querySelectorAll('main *, header *')]
    .filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 5)
    .map((e) => e.outerHTML.slice(0, 200))] : []; }"""
MOVING: Final = """() => document.getAnimations().length + [...document.querySelectorAll('*')].filter((e) =>
  getComputedStyle(e).transitionDuration.split(', ').some((time) => parseFloat(time) > 0.001) ||
  getComputedStyle(e).animationDuration.split(', ').some((time) => parseFloat(time) > 0.001)).length"""


@pytest.mark.parametrize("view", FRAGMENTS)
def test_the_page_does_not_scroll_sideways_at_360_pixels(shipped: Process, visits: Visits, view: str) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS[view], viewport=NARROW))
    assert page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("view", FRAGMENTS)
def test_twice_the_letters_fit_at_360_pixels(shipped: Process, visits: Visits, view: str) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS[view], viewport={"width": 720, "height": 900}))
    page.evaluate("() => document.documentElement.style.setProperty('font-size', '32px')")
    assert page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("view", FRAGMENTS)
def test_whoever_asks_for_less_motion_gets_none(shipped: Process, visits: Visits, view: str) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS[view], reduced_motion="reduce"))
    assert page.evaluate(MOVING) == 0


@pytest.mark.parametrize("view", FRAGMENTS)
def test_light_and_dark_differ(shipped: Process, visits: Visits, view: str) -> None:
    papers = {
        settled(visits.page(shipped.address, FRAGMENTS[view], color_scheme=scheme)).evaluate(
            "() => getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    }
    assert len(papers) == 2


def test_a_long_word_does_not_widen_the_page(shipped: Process, visits: Visits) -> None:
    page = visits.page(shipped.address, f"#try?q={'Donaudampfschifffahrtsgesellschaft' * 20}", viewport=NARROW)
    expect(page.get_by_role("main")).to_be_visible()
    assert settled(page).evaluate(TOO_WIDE) == []
