"""Finds and starts Chromium."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

VARIABLE: Final = "AGENT_CAPABILITIES_CHROMIUM"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
OPTIONS: Final = (
    # No name resolves: a page that asked another host would not reach it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    # The shared memory of containers is small.
    "--disable-dev-shm-usage",
)


def chromium_path() -> str | None:
    """Return the program that the variable names, else the first of the usual ones."""
    if named := os.environ.get(VARIABLE):
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def chromium(*options: str) -> Iterator["Browser"]:
    """Yield a running browser; skips the test if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
    path = chromium_path()
    if path is None:
        pytest.skip(f"needs Chromium; apt-get install chromium, or name one in {VARIABLE}")
    # The sandbox refuses to run as root.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=[*OPTIONS, *root, *options])
        try:
            yield browser
        finally:
            browser.close()
