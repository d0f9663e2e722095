"""Catalog health shows what a preflight finds, and how well a labelled file is answered."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.server.web.browser.catalogs import MARKUP
from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, asked, inspection, written_json
from tests.server.web.browser.views_parts import phrase_box
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

pytestmark = pytest.mark.slow

MEASURED: Final = 240_000
"""Milliseconds until the health of a small catalog is known."""
ROWS: Final[list[dict[str, Any]]] = [
    {"query": "undo it", "gold": ["Checkpoints"]},
    {"query": "plug in outside tools", "gold": ["MCP Support"]},
    {"query": "can it see a picture", "gold": ["Checkpoints"]},
    {"query": f"what is the weather {MARKUP}", "gold": []},
]


def labelled(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


@pytest.fixture
def page(small: Process, visits: Visits) -> "Page":
    """Return the health of the toy catalog."""
    return visits.page(small.address, "#health")


@pytest.fixture(scope="module")
def muddled(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield an inspection of a catalog of which two labels say the same."""
    folder = tmp_path_factory.mktemp("muddled")
    labels = [
        {"name": "Print page", "description": "print the page on paper"},
        {"name": "Print the page", "description": "prints a page on paper"},
        {"name": "Play music", "phrasings": ["start a song"]},
    ]
    catalog = written_json(folder / "catalog.json", {"labels": labels})
    with inspection(cache, folder / "log", "--catalog", str(catalog)) as running:
        yield running


def upload(page: "Page", content: bytes) -> None:
    file: FilePayload = {"name": "labelled.jsonl", "mimeType": "application/jsonl", "buffer": content}
    page.get_by_label("Choose a file of labelled queries").set_input_files(file)


def test_the_report_is_that_of_the_server(small: Process, page: "Page") -> None:
    preflight = page.get_by_role("region", name="Preflight")
    expect(preflight.locator(".summary")).to_be_visible(timeout=MEASURED)
    report = asked(f"{small.address}api/preflight")["report"]
    expect(preflight.locator(".summary")).to_contain_text(f"{report['summary']['labels']} labels")
    expect(preflight.locator(".finding")).to_have_count(len(report["findings"]))


def test_while_it_is_measured_the_page_says_so(small: Process, visits: Visits) -> None:
    context = visits.context(small.address)
    context.route("**/api/preflight", lambda route: route.fulfill(json={"catalog": "x", "status": "running"}))
    page = context.new_page()
    page.goto(f"{small.address}#health")
    expect(page.get_by_text("The catalog is being measured")).to_be_visible()


def test_a_report_that_failed_is_told(small: Process, visits: Visits) -> None:
    failed = {"catalog": "x", "status": "failed", "error": "the model is gone; it is needed; put it back"}
    context = visits.context(small.address)
    context.route("**/api/preflight", lambda route: route.fulfill(json=failed))
    page = context.new_page()
    page.goto(f"{small.address}#health")
    expect(page.get_by_role("alert").filter(has_text="put it back")).to_be_visible()


def test_findings_are_filtered_by_severity(muddled: Process, visits: Visits) -> None:
    page = visits.page(muddled.address, "#health")
    findings = page.get_by_role("region", name="Preflight").locator(".finding")
    expect(findings.first).to_be_visible(timeout=MEASURED)
    boxes = page.get_by_role("group", name="Severity").get_by_role("checkbox")
    for box in boxes.all():
        box.uncheck()
    expect(findings).to_have_count(0)


def test_an_uploaded_file_is_measured(page: "Page") -> None:
    upload(page, labelled(ROWS))
    coverage = page.get_by_role("region", name="Coverage")
    expect(coverage.get_by_text("4 queries")).to_be_visible()
    expect(coverage.get_by_role("table").first).to_be_visible()


def test_a_reliability_diagram_has_a_table_with_the_same_numbers(page: "Page") -> None:
    upload(page, labelled(ROWS * 10))
    coverage = page.get_by_role("region", name="Coverage")
    expect(coverage.get_by_role("heading", name="Reliability")).to_be_visible()
    expect(coverage.locator("svg circle").first).to_be_attached()
    circles = coverage.locator("svg circle").count()
    rows = coverage.get_by_role("table").filter(has_text="onfidence").first.get_by_role("row")
    assert rows.count() >= circles


def test_the_worst_misses_lead_to_try(page: "Page") -> None:
    upload(page, labelled(ROWS))
    page.get_by_role("region", name="Coverage").get_by_role("link", name="can it see a picture").click()
    expect(phrase_box(page)).to_have_value("can it see a picture")


def test_a_file_with_a_bad_line_is_refused_with_the_line(page: "Page", visits: Visits) -> None:
    visits.expect("400 (Bad Request)")
    upload(page, labelled(ROWS) + b"\nnot JSON")
    expect(page.get_by_role("alert").filter(has_text="5")).to_be_visible()


def test_a_file_over_the_limit_is_refused_before_it_is_sent(small: Process, page: "Page") -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    upload(page, b" " * (asked(f"{small.address}api/about")["limits"]["upload"] + 1))
    expect(page.get_by_role("alert").filter(has_text="at most")).to_be_visible()
    assert sent == []


def test_a_path_is_measured_by_an_inspection(page: "Page", tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_bytes(labelled(ROWS))
    page.get_by_label("or a path on this machine").fill(str(path))
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("region", name="Coverage").get_by_text("4 queries")).to_be_visible()


def test_a_path_that_is_not_there_is_told(page: "Page", visits: Visits, tmp_path: Path) -> None:
    visits.expect("400 (Bad Request)")
    page.get_by_label("or a path on this machine").fill(str(tmp_path / "nothing.jsonl"))
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("alert").filter(has_text="nothing.jsonl")).to_be_visible()
