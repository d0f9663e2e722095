"""The static site in a browser: from a web host with its scripts, and without them from disk."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from server.paths import shipped_data
from tests.server.web.browser.axe import severe_findings
from tests.server.web.browser.catalogs import MARKUP, planted_data
from tests.server.web.browser.expecting import expect
from tests.server.web.browser.look.test_layout import NARROW, TOO_WIDE
from tests.server.web.browser.safety.test_planted import PLANTED
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.slow

SIZES: Final = {"narrow": NARROW, "wide": {"width": 1600, "height": 1000}}


def written_site(folder: Path, *options: str) -> Path:
    """Return a site that the command wrote."""
    command = [sys.executable, "-m", "agent_capabilities", "site", "--out", str(folder), *options]
    subprocess.run(command, cwd=shipped_data().parent, check=True, capture_output=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def site(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of the shipped catalog."""
    return written_site(tmp_path_factory.mktemp("site") / "out")


class Handler(SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def hosted(site: Path) -> Iterator[str]:
    """Yield where a web host has a site, below a path."""
    handler = partial(Handler, directory=str(site.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{site.name}/"
        server.shutdown()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Yield where a web host has the site of the shipped catalog."""
    with hosted(site) as found:
        yield found


@pytest.fixture
def matrix(address: str, visits: Visits) -> "Page":
    """Return the page with the matrix, its scripts running."""
    page = visits.page(address)
    expect(page.locator("#matrix-text")).to_be_visible()
    return page


def rows_of(page: "Page") -> "Locator":
    """Return the capabilities in the matrix."""
    return page.locator(".matrix tbody tr:not(.category)")


def entry_of(site: Path) -> Path:
    """Return the page of Checkpoints."""
    return next(path for path in sorted(site.rglob("*.html")) if "checkpoint" in path.name)


def test_the_matrix_names_every_agent_and_leads_to_an_entry(matrix: "Page") -> None:
    for agent in ("Claude Code", "Gemini CLI"):
        expect(matrix.get_by_role("columnheader", name=agent).first).to_be_visible()
    matrix.get_by_role("link", name="Checkpoints", exact=True).first.click()
    expect(matrix.get_by_role("heading", level=2)).to_contain_text("Checkpoints")
    expect(matrix.get_by_role("article", name="Claude Code")).to_contain_text("/rewind")


def test_only_views_that_need_no_server_are_offered_and_nothing_is_asked_in_vain(address: str, visits: Visits) -> None:
    page = visits.context(address).new_page()
    failed: list[str] = []
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    page.goto(address)
    expect(page.get_by_role("navigation", name="Views").get_by_role("link")).to_have_text(["Agents"])
    page.goto(f"{address}#entry?capability=Vision&agents=gemini-cli")
    expect(page.get_by_role("article", name="Gemini CLI")).to_be_visible()
    assert failed == []


def test_an_answer_that_cannot_be_read_is_told_and_not_asked_for_again(address: str, visits: Visits) -> None:
    visits.expect("Failed to load resource")
    page = visits.context(address).new_page()
    page.route("**/api/agents.json", lambda route: route.fulfill(status=404))
    page.goto(address)
    expect(page.get_by_role("alert")).to_contain_text("api/agents.json, cannot be read. Load it again.")
    page.wait_for_timeout(2500)  # longer than the page waits before it asks a server again
    expect(page.get_by_role("alert")).to_contain_text("cannot be read")


def test_an_entry_that_is_not_there_is_told(address: str, visits: Visits) -> None:
    page = visits.page(f"{address}#entry?capability=Flying")
    expect(page.locator(".problem")).to_contain_text("no capability “Flying”")


def test_the_filter_leaves_the_rows_that_have_the_text(matrix: "Page") -> None:
    rows = rows_of(matrix)
    before = rows.count()
    matrix.get_by_role("searchbox").fill("checkpoint")
    expect(rows.first).to_contain_text("Checkpoints")
    expect(matrix.locator(".count")).to_contain_text("Found by letters")
    assert 1 <= rows.count() < before


def test_an_emptied_filter_shows_all_rows_again(matrix: "Page") -> None:
    rows = rows_of(matrix)
    before = rows.count()
    matrix.get_by_role("searchbox").fill("checkpoint")
    expect(rows.filter(has_text="Vision")).to_have_count(0)
    matrix.get_by_role("searchbox").fill("")
    expect(rows).to_have_count(before)


def test_without_javascript_the_matrix_reads(site: Path, visits: Visits) -> None:
    page = visits.page((site / "index.html").as_uri(), java_script_enabled=False)
    row = rows_of(page).filter(has=page.get_by_role("link", name="Checkpoints", exact=True))
    expect(row).to_be_visible()
    expect(row.get_by_role("cell").first).not_to_be_empty()


def test_without_javascript_an_entry_reads(site: Path, visits: Visits) -> None:
    page = visits.page(entry_of(site).as_uri(), java_script_enabled=False)
    expect(page.get_by_role("heading", name="Claude Code").first).to_be_visible()
    expect(page.get_by_role("main").locator("a[href^='https://code.claude.com/']").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["matrix", "plain matrix", "entry"])
def test_axe_finds_nothing_serious(site: Path, address: str, visits: Visits, kind: str, size: str, scheme: str) -> None:
    page = shown(site, address, visits, kind, viewport=SIZES[size], color_scheme=scheme)
    assert severe_findings(page) == []


@pytest.mark.parametrize("kind", ["matrix", "plain matrix", "entry"])
def test_no_page_scrolls_sideways_at_360_pixels(site: Path, address: str, visits: Visits, kind: str) -> None:
    assert shown(site, address, visits, kind, viewport=NARROW).evaluate(TOO_WIDE) == []


def shown(site: Path, address: str, visits: Visits, kind: str, **options: Any) -> "Page":
    """Return a page of a kind; that of a plain matrix has lost its script, as scripts do not run from disk."""
    if kind == "entry":
        return visits.page(entry_of(site).as_uri(), **options)
    context = visits.context(address, **options)
    page = context.new_page()
    if kind == "plain matrix":
        page.route("**/main.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(address)
    expect(page.locator(".matrix")).to_be_visible()
    return page


def test_planted_texts_are_texts_in_every_page(browser: "Browser", visits: Visits, tmp_path: Path) -> None:
    site = written_site(tmp_path / "out", "--data", str(planted_data(tmp_path / "data")))
    pages = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    with hosted(site) as address:
        page = visits.context(address).new_page()
        for path in (*pages, "index.html#agents"):
            page.goto(f"{address}{path}")
            expect(page.get_by_role("main")).to_contain_text(MARKUP)
            assert page.evaluate(PLANTED) == []
