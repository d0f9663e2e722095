"""Addresses that are given to others."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import candidates, phrase_box
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.slow

PHRASE = "can it undo what it did"
CLIPBOARD = ["clipboard-read", "clipboard-write"]


def token_of(address: str) -> str:
    """Return the run's token: the first segment of the path."""
    return urlsplit(address).path.split("/")[1]


@pytest.fixture
def context(shipped: Process, visits: Visits) -> "BrowserContext":
    """Return a profile that may use the clipboard."""
    return visits.context(shipped.address, permissions=CLIPBOARD)


@pytest.fixture
def copied(shipped: Process, context: "BrowserContext") -> str:
    """Return what "copy link" puts on the clipboard for a phrase."""
    page = context.new_page()
    page.goto(shipped.address)
    phrase_box(page).fill(PHRASE)
    expect(candidates(page).first).to_contain_text("Checkpoints")
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('http')")
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def test_a_copied_link_has_no_token(shipped: Process, copied: str) -> None:
    assert len(token_of(shipped.address)) >= 24
    assert token_of(shipped.address) not in copied
    assert urlsplit(copied).netloc == urlsplit(shipped.address).netloc


def test_a_copied_link_shows_the_same_in_another_tab(context: "BrowserContext", copied: str, visits: Visits) -> None:
    visits.expect("401 (Unauthorized)")
    page = context.new_page()
    page.goto(copied)
    expect(phrase_box(page)).to_have_value(PHRASE)
    expect(candidates(page).first).to_contain_text("Checkpoints")


def test_a_copied_link_shows_no_data_to_another_profile(shipped: Process, copied: str, visits: Visits) -> None:
    visits.expect("401 (Unauthorized)")
    page = visits.page(copied)
    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.get_by_text("Checkpoints")).to_have_count(0)


def test_the_run_token_typed_in_opens_a_copied_link(shipped: Process, copied: str, visits: Visits) -> None:
    visits.expect("401 (Unauthorized)")
    page = visits.page(copied)
    page.get_by_label("Token").fill(token_of(shipped.address))
    page.get_by_role("button", name="Use it").click()
    expect(phrase_box(page)).to_have_value(PHRASE)


def test_another_token_in_the_path_finds_nothing(shipped: Process, visits: Visits) -> None:
    visits.expect("404 (Not Found)")
    page = visits.context(shipped.address).new_page()
    answer = page.goto(shipped.address.replace(token_of(shipped.address), "x" * 32))
    assert answer
    assert answer.status == 404


def test_links_to_sources_do_not_tell_where_they_were_followed(shipped: Process, visits: Visits) -> None:
    page = visits.page(shipped.address, "#entry?capability=Checkpoints&agents=claude-code")
    link = page.get_by_role("main").locator("a[href^='https://']").first
    expect(link).to_be_visible()
    assert "noreferrer" in str(link.get_attribute("rel"))
    assert "noopener" in str(link.get_attribute("rel"))
