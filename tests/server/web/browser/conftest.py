"""Fixtures of the tests in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.catalogs import many_labels, planted_data, planted_labels
from tests.server.web.browser.chromium import chromium
from tests.server.web.browser.running import Process, inspection, written_json
from tests.server.web.browser.visits import Visits
from tests.toy import write_data

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOKEN: Final = "the-token-of-alice"


@pytest.fixture(scope="package")
def browser() -> Iterator["Browser"]:
    """Chromium, without a window. It ends with these tests, as its event loop must not run during others'."""
    with chromium() as started:
        yield started


@pytest.fixture
def visits(browser: "Browser") -> Iterator[Visits]:
    """Yield the pages that a test opens; what they complain of fails the test."""
    visits = Visits(browser)
    try:
        yield visits
    finally:
        visits.end()


@pytest.fixture(scope="package")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the servers keep what they embedded, so that each catalog is embedded once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return what a test's own server writes to stderr."""
    return tmp_path / "server.log"


@pytest.fixture(scope="package")
def shipped(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield an inspection of the shipped catalog."""
    with inspection(cache, tmp_path_factory.mktemp("shipped") / "log") as running:
        yield running


@pytest.fixture(scope="package")
def labels(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield an inspection of a catalog of 500 labels."""
    folder = tmp_path_factory.mktemp("labels")
    catalog = written_json(folder / "catalog.json", many_labels())
    with inspection(cache, folder / "log", "--catalog", str(catalog)) as running:
        yield running


@pytest.fixture(scope="package")
def small(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield an inspection of the toy catalog, whose health is measured within seconds."""
    folder = tmp_path_factory.mktemp("small")
    with inspection(cache, folder / "log", "--data", str(write_data(folder / "data"))) as running:
        yield running


@pytest.fixture(scope="package")
def planted(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield an inspection of a data folder whose texts try to be markup."""
    folder = tmp_path_factory.mktemp("planted")
    with inspection(cache, folder / "log", "--data", str(planted_data(folder / "data"))) as running:
        yield running


@pytest.fixture(scope="package")
def planted_catalog(browser: "Browser", cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Yield an inspection of a catalog file whose texts try to be markup."""
    folder = tmp_path_factory.mktemp("planted-catalog")
    catalog = written_json(folder / "catalog.json", planted_labels())
    with inspection(cache, folder / "log", "--catalog", str(catalog)) as running:
        yield running
