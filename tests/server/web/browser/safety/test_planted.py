"""Texts that try to be markup are shown as texts, wherever they come from."""

from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode, urlsplit

import pytest

from tests.server.web.browser import catalogs
from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import candidates, phrase_box, settled
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

_QUERY: Final = quote(f"undo {catalogs.MARKUP}{catalogs.SCRIPT}")
_LABEL: Final = quote(catalogs.PLANTED_CAPABILITY)
VIEWS_OF_AGENTS: Final = [
    f"#try?q={_QUERY}",
    f"#map?q={_QUERY}&label={_LABEL}",
    f"#label?name={_LABEL}",
    "#agents",
    f"#agents?text={_QUERY}",
    f"#entry?capability={_LABEL}&agents=claude-code,gemini-cli",
    "#health",
]
VIEWS_OF_LABELS: Final = [
    f"#try?q={_QUERY}",
    f"#map?q={_QUERY}&label={quote(f'Undo {catalogs.MARKUP}')}",
    f"#label?name={quote(f'Undo {catalogs.MARKUP}')}",
    "#health",
]
PLANTED: Final = """() => [
  window.planted,
  ...[...document.querySelectorAll("img, script:not([src^='page/']), iframe, object, embed, base")]
    .map((e) => e.outerHTML),
  ...[...document.querySelectorAll("*")].flatMap((e) => [...e.attributes])
    .filter((a) => a.name.startsWith("on") || a.name === "x").map((a) => a.name),
].filter(Boolean)"""


def is_clean(page: "Page") -> None:
    """Nothing planted ran, or became an element or an attribute; links lead to http(s) or within the page."""
    for element in page.locator("summary:visible").all():
        element.click()
    page.mouse.move(300, 400)
    assert page.evaluate(PLANTED) == []
    hrefs = page.eval_on_selector_all("a[href]", "links => links.map((link) => link.href)")
    assert {urlsplit(href).scheme for href in hrefs} <= {"http", "https"}


@pytest.mark.parametrize("fragment", VIEWS_OF_AGENTS)
def test_planted_texts_of_a_data_folder_are_texts(planted: Process, visits: Visits, fragment: str) -> None:
    page = settled(visits.page(planted.address, fragment))
    is_clean(page)


@pytest.mark.parametrize("fragment", VIEWS_OF_LABELS)
def test_planted_texts_of_a_catalog_file_are_texts(planted_catalog: Process, visits: Visits, fragment: str) -> None:
    page = settled(visits.page(planted_catalog.address, fragment))
    is_clean(page)


def test_a_planted_name_is_read_as_it_is_written(planted: Process, visits: Visits) -> None:
    page = visits.page(planted.address)
    phrase_box(page).fill(f"phrasing {catalogs.MARKUP}")
    expect(candidates(page).first).to_contain_text(catalogs.MARKUP)


def test_the_planted_name_of_an_agent_is_read_as_it_is_written(planted: Process, visits: Visits) -> None:
    page = visits.page(planted.address, "#agents")
    expect(page.get_by_role("columnheader", name=catalogs.PLANTED_AGENT)).to_be_visible()


def test_planted_sources_and_notes_of_an_entry_are_read_as_they_are_written(planted: Process, visits: Visits) -> None:
    page = visits.page(planted.address, VIEWS_OF_AGENTS[5])
    main = page.get_by_role("main")
    for text in (f"limitation {catalogs.MARKUP}", f"gotcha {catalogs.ATTRIBUTE}", f"page {catalogs.SCRIPT}"):
        expect(main).to_contain_text(" ".join(text.split()))


@pytest.mark.parametrize("payload", catalogs.PAYLOADS)
def test_a_phrase_with_markup_is_answered_like_any_other(shipped: Process, visits: Visits, payload: str) -> None:
    page = visits.page(shipped.address)
    phrase_box(page).fill(f"can it undo what it did {payload}")
    expect(candidates(page).filter(has_text="Checkpoints").first).to_be_visible()
    is_clean(page)


def test_a_fragment_with_markup_opens_the_page(shipped: Process, visits: Visits) -> None:
    fragment = urlencode({"q": catalogs.MARKUP, "label": catalogs.SCRIPT, catalogs.MARKUP: catalogs.ATTRIBUTE})
    page = settled(visits.page(shipped.address, f"#try?{fragment}"))
    expect(phrase_box(page)).to_have_value(catalogs.MARKUP)
    is_clean(page)
