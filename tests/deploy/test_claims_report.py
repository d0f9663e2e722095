"""The weekly run of the catalog's claims: its script, with a made-up rig."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.deploy.yaml_files import workflows

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="the job runs on Linux, with its options of head and date"),
]

JOB: Final = workflows()["freshness.yml"]["jobs"]["claims"]
SCRIPT: Final = next(step["run"] for step in JOB["steps"] if step.get("name") == "run the claims")
RIG: Final = """#!/bin/sh
# python -m checks AGENT --version newest
[ "$3" = codex-cli ] || exit 0
echo "held, and no longer does (1): /undo"
echo "error: told on stderr" >&2
exit $STATUS
"""


def report(folder: Path, status: int) -> str:
    """Return the report if the claims of Codex end with a status, and all others hold."""
    for agent in ("claude-code", "codex-cli"):
        recipes = folder / "checks" / "recipes" / f"{agent}.json"
        recipes.parent.mkdir(parents=True, exist_ok=True)
        recipes.write_text("{}", encoding="utf-8")
    rig = folder / "bin" / "python"
    rig.parent.mkdir()
    rig.write_text(RIG, encoding="utf-8")
    rig.chmod(0o755)
    added = {
        "PATH": f"{rig.parent}:{os.environ['PATH']}",
        "STATUS": str(status),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    subprocess.run(["bash", "-e", "-c", SCRIPT], cwd=folder, env=os.environ | added, check=True)
    return (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("status", [1, 2])
def test_what_a_program_no_longer_bears_out_is_in_the_report(tmp_path: Path, status: int) -> None:
    text = report(tmp_path, status)
    assert "## codex-cli" in text
    assert "held, and no longer does (1): /undo" in text
    assert "error: told on stderr" in text
    assert "claude-code" not in text


def test_a_report_without_differences_says_so(tmp_path: Path) -> None:
    assert "Every claim holds." in report(tmp_path, 0)
    assert (tmp_path / "differences.md").read_text(encoding="utf-8") == ""
