"""Measures the page in Chromium, from a key to the bars it leads to: `python -m benchmarks.page [--phrases 40]`.

Two ways of typing are measured: one key at a time, each answered before the next, and ten keys a second. Of the latter,
keys whose answer a later one superseded have no time of their own; the last key of each phrase always has one. The time
ends when the frame with the new bars is drawn. Needs the extra `browser`, and Chromium.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.http_server_process import ROOT, machine
from benchmarks.labelled_data import read_rows

if TYPE_CHECKING:
    from playwright.sync_api import Page

RESULTS: Final = ROOT / "benchmarks" / "results" / "page.json"
PHRASES: Final = ROOT / "benchmarks" / "dev.jsonl"
KEYS: Final = 12
"""So many characters of each phrase are typed."""
ONE_BY_ONE: Final = "one key at a time"
TEN_A_SECOND: Final = "ten keys a second"
CLOCK: Final = (Path(__file__).parent / "page_clock.js").read_text(encoding="utf-8")


@contextmanager
def inspection() -> Iterator[str]:
    """Yield the address of an inspection of the shipped catalog, whose matcher is loaded."""
    command = [sys.executable, "-m", "agent_capabilities", "inspect", "--no-open"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout
            address = process.stdout.readline().decode().strip()
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            while json.load(opener.open(f"{address}api/about", timeout=60))["degraded"]:
                pass
            yield address
        finally:
            process.terminate()


@contextmanager
def opened(address: str) -> Iterator["Page"]:
    """Yield the page in Chromium, with the clock that notes keys and bars."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("AGENT_CAPABILITIES_CHROMIUM") or shutil.which("chromium")
    if path is None:
        sys.exit("there is no Chromium; install it, or name one in AGENT_CAPABILITIES_CHROMIUM")
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=root)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(CLOCK)
        page.goto(f"{address}#try")
        page.get_by_role("main").get_by_role("textbox").first.wait_for()
        yield page
        browser.close()


def typed(page: "Page", phrase: str, *, waiting: bool) -> list[float]:
    """Return the milliseconds of each key of a phrase that led to bars."""
    box = page.get_by_role("main").get_by_role("textbox").first
    box.fill("")
    page.wait_for_timeout(150)
    page.evaluate("() => window.clock.clear()")
    keys = phrase[:KEYS]
    if waiting:
        for key in keys:
            box.press_sequentially(key)
            page.wait_for_function("() => window.clock.idle()")
    else:
        box.press_sequentially(keys, delay=100)
        page.wait_for_function("() => window.clock.idle()")
    times: list[float] = page.evaluate("() => window.clock.times()")
    return times


def summary(times: Sequence[float]) -> dict[str, Any]:
    """Percentiles of times in milliseconds."""
    return {
        "keys": len(times),
        "p50": round(float(np.percentile(times, 50)), 1),
        "p95": round(float(np.percentile(times, 95)), 1),
        "slowest": round(max(times), 1),
    }


def measured(phrases: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the figures of both ways of typing; the first phrases warm the server and the browser up."""
    figures = {}
    with inspection() as address, opened(address) as page:
        for phrase in phrases[:3]:
            typed(page, phrase, waiting=True)
        for name, waiting in ((ONE_BY_ONE, True), (TEN_A_SECOND, False)):
            figures[name] = summary([time for phrase in phrases for time in typed(page, phrase, waiting=waiting)])
    return figures


def main() -> int:
    """Measure, and print or store the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--phrases", type=int, default=40, help="phrases of benchmarks/dev.jsonl (default: 40)")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.relative_to(ROOT).as_posix()}")
    chosen = options.parse_args()
    rows = [row["query"] for row in read_rows(PHRASES)]
    results = measured(rows[:: max(1, len(rows) // chosen.phrases)][: chosen.phrases])
    for name, figures in results.items():
        print(f"{name}: {figures}")
    if chosen.write:
        content = json.dumps({"machine": machine(), "results": results}, indent=1)
        RESULTS.write_text(content + "\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
