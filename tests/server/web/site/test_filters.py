"""The fields above the tables, used in Chromium on pages opened from disk."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from server.catalog.loading import load_catalog
from server.web.site.pages import site_files
from server.web.site.writing import write_site
from tests.server.web.site.sites import Reader
from tests.toy import write_data

pytestmark = [pytest.mark.slow, pytest.mark.processes]

SHOWN: Final = """
const form = document.getElementById("filters");
STEPS;
form.dispatchEvent(new Event("input"));
const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => !e.closest("[hidden]"));
document.documentElement.dataset.found = JSON.stringify({
  rows: seen("section.category tbody th a").map((link) => link.textContent),
  columns: [...new Set(seen("section.category thead th a").map((link) => link.textContent))],
  marked: seen("td.fits").length,
  status: document.getElementById("found").textContent,
  form: !form.hidden,
});
"""


@pytest.fixture
def chromium() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium")
    return path


def shown(chromium: str, folder: Path, steps: str = "") -> dict[str, Any]:
    """Return what the first page of the toy catalog shows once a script has changed its fields."""
    write_site(folder / "site", site_files(load_catalog(write_data(folder / "data"))))
    (folder / "site" / "steps.js").write_text(SHOWN.replace("STEPS", steps), encoding="utf-8")
    page = folder / "site" / "index.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</head>", '<script src="steps.js" defer></script></head>'), encoding="utf-8")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run([*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, check=True)
    (found,) = Reader("index.html", done.stdout).values("data-found")
    value: dict[str, Any] = json.loads(found)
    return value


def test_without_a_filter_everything_is_shown(chromium: str, tmp_path: Path) -> None:
    assert shown(chromium, tmp_path) == {
        "rows": ["Checkpoints", "MCP Support", "Vision"],
        "columns": ["Claude Code", "Gemini CLI"],
        "marked": 0,
        "status": "3 of 3 capabilities",
        "form": True,
    }


@pytest.mark.parametrize(
    ("steps", "rows"),
    [
        ('form.elements.text.value = "EARLIER check"', ["Checkpoints"]),
        ('form.elements.text.value = "<script>"', []),
        ('form.elements.category.value = "category-performance"', ["Vision"]),
        ('form.elements.plan.value = "free"', ["Checkpoints"]),
        ('form.elements.plan.value = "pro"', ["Checkpoints", "MCP Support", "Vision"]),
        ('form.elements.maturity.value = "beta"', []),
    ],
)
def test_a_field_leaves_the_capabilities_that_fit(chromium: str, tmp_path: Path, steps: str, rows: list[str]) -> None:
    found = shown(chromium, tmp_path, steps)
    assert found["rows"] == rows
    assert found["status"] == f"{len(rows)} of 3 capabilities"


def test_an_agent_that_is_not_chosen_has_no_column_and_no_say(chromium: str, tmp_path: Path) -> None:
    steps = 'form.querySelector("[value=gemini-cli]").checked = false; form.elements.plan.value = "free"'
    found = shown(chromium, tmp_path, steps)
    assert found["columns"] == []
    assert found["rows"] == []


def test_cells_that_fit_the_plan_are_marked(chromium: str, tmp_path: Path) -> None:
    assert shown(chromium, tmp_path, 'form.elements.plan.value = "free"')["marked"] == 1
