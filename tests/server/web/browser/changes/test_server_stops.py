"""A server that stops while someone looks."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.server.http_server import free_port
from tests.server.web.browser.catalogs import few_labels
from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, inspection, web_server, written_json
from tests.server.web.browser.views_parts import candidates, phrase_box
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

GONE: Final = "net::ERR_"


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    return written_json(tmp_path / "catalog.json", few_labels())


@pytest.fixture
def stopping(browser: "Browser", cache: Path, catalog: Path, log: Path, visits: Visits) -> Iterator[Process]:
    """Yield an inspection that a test ends."""
    visits.expect(GONE)
    with inspection(cache, log, "--catalog", str(catalog)) as running:
        yield running


def test_a_server_that_is_killed_is_told(stopping: Process, visits: Visits) -> None:
    page = visits.page(stopping.address)
    expect(phrase_box(page)).to_be_visible()
    stopping.end(signal.SIGKILL)
    phrase_box(page).fill("start a song")
    expect(page.get_by_role("alert")).to_contain_text("does not answer")


def test_a_server_that_is_back_shows_its_answers_without_a_click(
    browser: "Browser", cache: Path, catalog: Path, log: Path, visits: Visits
) -> None:
    visits.expect(GONE)
    port = free_port()
    with web_server(cache, log, "--catalog", str(catalog), port=port) as running:
        page = visits.page(running.address)
        expect(phrase_box(page)).to_be_visible()
        running.end(signal.SIGKILL)
        phrase_box(page).fill("start a song")
        expect(page.get_by_role("alert")).to_contain_text("does not answer")
    with web_server(cache, log, "--catalog", str(catalog), port=port):
        expect(page.get_by_role("alert")).to_be_hidden()
        expect(phrase_box(page)).to_have_value("start a song")
        expect(candidates(page).first).to_contain_text("Play music")


def test_a_stopped_inspection_ends_within_a_second_though_a_page_is_open(stopping: Process, visits: Visits) -> None:
    expect(phrase_box(visits.page(stopping.address))).to_be_visible()
    stopping.process.send_signal(signal.SIGTERM)
    assert stopping.process.wait(3) in {0, -signal.SIGTERM, 128 + signal.SIGTERM}
