"""Tools that a caller may not use are left out of the page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, web_server
from tests.server.web.browser.views_parts import navigation
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

TOKENS: Final = {"matcher": "token-of-the-matcher", "reader": "token-of-the-reader"}
PERMITTED: Final = {"matcher": ["match"], "reader": ["core"]}


@pytest.fixture(scope="module")
def server(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield a server with two callers, each of whom may use one family."""
    folder = tmp_path_factory.mktemp("allowlist")
    (folder / "tokens.json").write_text(json.dumps(TOKENS), encoding="utf-8")
    (folder / "allowlist.json").write_text(json.dumps(PERMITTED), encoding="utf-8")
    options = ["--tokens", str(folder / "tokens.json"), "--allowlist", str(folder / "allowlist.json")]
    with web_server(cache, folder / "log", *options, "--profile", "full", token=TOKENS["matcher"]) as running:
        yield running


def page_of(caller: str, server: Process, visits: Visits, fragment: str = "") -> "Page":
    visits.expect("401 (Unauthorized)")
    page = visits.page(server.address, fragment)
    page.get_by_label("Token").fill(TOKENS[caller])
    page.get_by_role("button", name="Use it").click()
    return page


def test_who_may_only_match_sees_no_agents(server: Process, visits: Visits) -> None:
    page = page_of("matcher", server, visits)
    expect(navigation(page).get_by_role("link")).to_have_text(["Try", "Map", "Catalog health"])


def test_who_may_only_read_entries_sees_the_agents_alone(server: Process, visits: Visits) -> None:
    page = page_of("reader", server, visits)
    expect(navigation(page).get_by_role("link")).to_have_text(["Agents"])
    expect(page.get_by_role("table").first).to_be_visible()


def test_the_address_of_a_forbidden_view_leads_to_a_permitted_one(server: Process, visits: Visits) -> None:
    page = page_of("matcher", server, visits, "#agents")
    expect(navigation(page).get_by_role("link", name="Try")).to_have_attribute("aria-current", "page")
