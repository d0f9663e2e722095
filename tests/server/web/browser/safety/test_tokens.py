"""`serve --web` shows data to whoever has a token, which only the tab keeps."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.conftest import TOKEN
from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, asked, web_server
from tests.server.web.browser.views_parts import navigation, phrase_box
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

REFUSED: Final = "401 (Unauthorized)"


@pytest.fixture(scope="module")
def server(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield a server of the shipped data that answers whoever has a token."""
    folder = tmp_path_factory.mktemp("tokens")
    (folder / "tokens.json").write_text(json.dumps({"alice": TOKEN}), encoding="utf-8")
    with web_server(cache, folder / "log", "--tokens", str(folder / "tokens.json"), token=TOKEN) as running:
        yield running


@pytest.fixture
def page(server: Process, visits: Visits) -> "Page":
    """Return the page of a visitor without a token."""
    visits.expect(REFUSED)
    return visits.page(server.address)


def give(page: "Page", token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Use it").click()


def test_without_a_token_the_page_has_no_data(server: Process, page: "Page") -> None:
    expect(page.get_by_label("Token")).to_be_visible()
    title = asked(f"{server.address}api/about", TOKEN)["title"]
    expect(page.get_by_text(title)).to_have_count(0)
    expect(navigation(page).get_by_role("link")).to_have_count(0)
    assert "claude" not in page.content().casefold()


def test_the_token_typed_in_opens_the_views(server: Process, page: "Page") -> None:
    give(page, TOKEN)
    expect(phrase_box(page)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(asked(f"{server.address}api/about", TOKEN)["title"])


def test_the_tab_keeps_the_token_when_the_page_is_loaded_again(page: "Page") -> None:
    give(page, TOKEN)
    expect(phrase_box(page)).to_be_visible()
    page.reload()
    expect(phrase_box(page)).to_be_visible()


def test_the_token_is_in_no_cookie_no_lasting_storage_and_no_address(page: "Page") -> None:
    give(page, TOKEN)
    expect(phrase_box(page)).to_be_visible()
    assert page.evaluate("() => Object.values(sessionStorage)") == [TOKEN]
    assert page.evaluate("() => localStorage.length") == 0
    assert page.evaluate("async () => (await indexedDB.databases()).length + (await caches.keys()).length") == 0
    assert page.context.cookies() == []
    assert TOKEN not in page.url


def test_a_new_profile_is_asked_for_the_token(server: Process, page: "Page", visits: Visits) -> None:
    give(page, TOKEN)
    expect(phrase_box(page)).to_be_visible()
    expect(visits.page(server.address).get_by_label("Token")).to_be_visible()


def test_a_wrong_token_is_told(page: "Page") -> None:
    give(page, "not-the-token")
    expect(page.get_by_role("alert")).to_contain_text("does not accept this token")
    assert page.evaluate("() => sessionStorage.length") == 0


def test_after_a_wrong_token_the_right_one_works(page: "Page") -> None:
    give(page, "not-the-token")
    expect(page.get_by_role("alert")).to_contain_text("does not accept this token")
    give(page, TOKEN)
    expect(phrase_box(page)).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()
