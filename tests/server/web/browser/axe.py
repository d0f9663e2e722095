"""Findings of axe-core on a page. It comes with the package `axe-playwright-python`."""

from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEVERE: Final = ("serious", "critical")
RUN: Final = "() => axe.run(document, {resultTypes: ['violations'], preload: false})"
"""Without requests for the style sheets, which the CSP of the static site refuses."""


def severe_findings(page: "Page") -> list[str]:
    """Return the serious and critical violations, a line for each element."""
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(RUN)["violations"]
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:200]} {node['failureSummary'][:300]}"
        for violation in found
        if violation["impact"] in SEVERE
        for node in violation["nodes"]
    ]
