"""The weekly report on the catalog's pages: its scripts, run with made-up pages and a made-up `gh`."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.deploy.yaml_files import workflows

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="the job runs on Linux, with its options of head and grep"),
]

JOB: Final = workflows()["freshness.yml"]["jobs"]["report"]
SCRIPTS: Final[dict[str, str]] = {step["name"]: step["run"] for step in JOB["steps"] if "name" in step}
PAGES: Final = """\
verified     days           facts  ages fast  link    page
2026-08-01     30  stale          2  ages fast  ok      https://example.com/fast
2026-08-20     11  fresh          2  ages fast  gone    https://example.com/gone
2026-07-01     61  stale          1             ok      https://example.com/old
3 pages, 2 stale (older than 20 days), 0 undated, 2 of statements that age fast; links: 2 ok, 1 gone
"""
GH: Final = """#!/bin/sh
echo "$@" >> "$CALLS"
[ "$2" = list ] && printf %s "$OPEN_ISSUE"
exit 0
"""


def report(folder: Path, pages: str = PAGES) -> str:
    (folder / "pages.txt").write_text(pages, encoding="utf-8")
    run("write the report", folder, GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    return (folder / "report.md").read_text(encoding="utf-8")


def run(step: str, folder: Path, **environment: str) -> None:
    subprocess.run(["bash", "-e", "-c", SCRIPTS[step]], cwd=folder, env=os.environ | environment, check=True)


def calls(folder: Path, open_issue: str) -> list[str]:
    """Return what the last step asks of `gh`, if its search prints this."""
    gh = folder / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH, encoding="utf-8")
    gh.chmod(0o755)
    path = f"{gh.parent}:{os.environ['PATH']}"
    noted = folder / "calls.txt"
    title = JOB["env"]["TITLE"]
    run(
        "open the issue, or bring it up to date",
        folder,
        PATH=path,
        CALLS=str(noted),
        OPEN_ISSUE=open_issue,
        TITLE=title,
    )
    return noted.read_text(encoding="utf-8").splitlines()


def test_the_report_has_what_is_gone_then_what_ages_fast_then_the_oldest_of_the_others(tmp_path: Path) -> None:
    gone, fast, others = (part.splitlines() for part in report(tmp_path).split("~~~text\n")[1:])
    assert [line.split()[-1] for line in gone[1 : gone.index("~~~")] if line] == ["https://example.com/gone"]
    shown = [line.split()[-1] for line in fast[1 : fast.index("~~~")] if line]
    assert shown == ["https://example.com/fast", "https://example.com/gone"]
    assert [line.split()[-1] for line in others[1 : others.index("~~~")] if line] == ["https://example.com/old"]


def test_a_catalog_of_a_thousand_pages_fits_into_an_issue(tmp_path: Path) -> None:
    head, *rows, last = PAGES.splitlines()
    assert len(report(tmp_path, "\n".join([head, *rows * 1_000, last, ""]))) < 65_536


def test_pages_of_which_none_ages_fast_are_reported_too(tmp_path: Path) -> None:
    pages = "".join(
        line for line in PAGES.splitlines(keepends=True) if "  ages fast  ok" not in line and "gone" not in line
    )
    assert "https://example.com/old" in report(tmp_path, pages + "1 pages\n")


def test_an_issue_that_is_open_is_brought_up_to_date(tmp_path: Path) -> None:
    assert calls(tmp_path, "17")[1:] == ["issue edit 17 --body-file report.md"]


def test_an_issue_is_opened_if_none_is(tmp_path: Path) -> None:
    assert calls(tmp_path, "")[1:] == [f"issue create --title {JOB['env']['TITLE']} --body-file report.md"]
