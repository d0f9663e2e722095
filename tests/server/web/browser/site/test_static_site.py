"""The static site in a browser, opened from disk."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

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


@pytest.fixture
def matrix(site: Path, visits: Visits) -> "Page":
    """Return the page with the matrix."""
    return visits.page((site / "index.html").as_uri())


def rows_of(page: "Page") -> "Locator":
    """Return the capabilities in the matrix."""
    return page.locator("section.category tbody tr")


def entry_of(site: Path) -> Path:
    """Return the page of Checkpoints."""
    return next(path for path in sorted(site.rglob("*.html")) if "checkpoint" in path.name)


def test_the_matrix_names_every_agent_and_leads_to_an_entry(matrix: "Page") -> None:
    for agent in ("Claude Code", "Gemini CLI"):
        expect(matrix.get_by_role("columnheader", name=agent).first).to_be_visible()
    matrix.get_by_role("link", name="Checkpoints", exact=True).first.click()
    expect(matrix.get_by_role("heading", level=1)).to_contain_text("Checkpoints")


def test_the_filter_leaves_the_rows_that_have_the_text(matrix: "Page") -> None:
    rows = rows_of(matrix)
    before = rows.count()
    matrix.get_by_role("searchbox").fill("checkpoint")
    expect(rows.filter(visible=True).first).to_contain_text("Checkpoints")
    assert 1 <= rows.filter(visible=True).count() < before


def test_an_emptied_filter_shows_all_rows_again(matrix: "Page") -> None:
    rows = rows_of(matrix)
    before = rows.count()
    matrix.get_by_role("searchbox").fill("checkpoint")
    expect(rows.filter(has_text="Vision").filter(visible=True)).to_have_count(0)
    matrix.get_by_role("searchbox").fill("")
    expect(rows.filter(visible=True)).to_have_count(before)


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
@pytest.mark.parametrize("kind", ["matrix", "entry"])
def test_axe_finds_nothing_serious(site: Path, visits: Visits, kind: str, size: str, scheme: str) -> None:
    path = site / "index.html" if kind == "matrix" else entry_of(site)
    page = visits.page(path.as_uri(), viewport=SIZES[size], color_scheme=scheme)
    assert severe_findings(page) == []


@pytest.mark.parametrize("kind", ["matrix", "entry"])
def test_no_page_scrolls_sideways_at_360_pixels(site: Path, visits: Visits, kind: str) -> None:
    path = site / "index.html" if kind == "matrix" else entry_of(site)
    assert visits.page(path.as_uri(), viewport=NARROW).evaluate(TOO_WIDE) == []


def test_planted_texts_are_texts_in_every_page(browser: "Browser", visits: Visits, tmp_path: Path) -> None:
    site = written_site(tmp_path / "out", "--data", str(planted_data(tmp_path / "data")))
    pages = sorted(site.rglob("*.html"))
    page = visits.context(pages[0].as_uri()).new_page()
    for path in pages:
        page.goto(path.as_uri())
        assert page.evaluate(PLANTED.replace("page/", "site.js").replace("^=", "$=")) == []
    page.goto((site / "index.html").as_uri())
    expect(page.get_by_role("main")).to_contain_text(MARKUP)
