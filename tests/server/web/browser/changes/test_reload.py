"""A catalog that changes while someone looks."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.web.browser.catalogs import few_labels
from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, inspection, written_json
from tests.server.web.browser.views_parts import candidates, phrase_box
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

ADDED = "Reheat the soup"


@dataclass(frozen=True)
class Changing:
    """An inspection of a catalog file that tests replace."""

    server: Process
    catalog: Path


@pytest.fixture
def changing(browser: "Browser", cache: Path, tmp_path: Path, log: Path) -> Iterator[Changing]:
    catalog = written_json(tmp_path / "catalog.json", few_labels())
    with inspection(cache, log, "--catalog", str(catalog)) as running:
        yield Changing(running, catalog)


def asks_until_told(page: "Page") -> None:
    """The page learns of another catalog with its next question."""
    news = page.get_by_role("status").filter(has_text="The catalog changed")
    for _ in range(60):
        phrase_box(page).fill("something else")
        phrase_box(page).fill("reheat the soup")
        page.wait_for_timeout(500)
        if news.count():
            return
    pytest.fail("no news of the changed catalog")


def test_a_catalog_that_changes_is_announced_and_shown(changing: Changing, visits: Visits) -> None:
    page = visits.page(changing.server.address, "#try?q=reheat%20the%20soup")
    expect(candidates(page).first).to_be_visible()
    expect(candidates(page).filter(has_text=ADDED)).to_have_count(0)
    written_json(changing.catalog, few_labels(ADDED))
    asks_until_told(page)
    expect(candidates(page).first).to_contain_text(ADDED)


def test_the_phrase_stays_in_the_box_when_the_catalog_changes(changing: Changing, visits: Visits) -> None:
    page = visits.page(changing.server.address)
    phrase_box(page).fill("reheat the soup")
    expect(candidates(page).first).to_be_visible()
    written_json(changing.catalog, few_labels(ADDED))
    page.wait_for_timeout(4000)
    phrase_box(page).press("End")
    phrase_box(page).press_sequentially(" now", delay=60)
    expect(candidates(page).first).to_contain_text(ADDED)
    expect(phrase_box(page)).to_have_value("reheat the soup now")


def test_a_catalog_that_breaks_leaves_the_page_as_it_was(changing: Changing, visits: Visits) -> None:
    page = visits.page(changing.server.address)
    changing.catalog.write_text("{", encoding="utf-8")
    page.wait_for_timeout(3000)
    phrase_box(page).fill("start a song")
    expect(candidates(page).first).to_contain_text("Play music")
