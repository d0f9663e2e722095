"""The command beside a user's files of the same names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.paths import shipped_data

pytestmark = pytest.mark.processes

ROOT = shipped_data().parent
QUESTION = ("lookup", "claude-code", "can it undo what it did?", "--json")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """Return a folder with a `server` of its own, and an `embeddings` that cannot be imported."""
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "embeddings.py").write_text("this is no Python", encoding="utf-8")
    return tmp_path


def test_the_command_answers_where_others_have_its_packages_names(foreign: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([".", str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "agent_capabilities", *QUESTION],
        cwd=foreign,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"name": "Checkpoints"' in done.stdout


def test_the_worker_processes_serve_where_others_have_its_packages_names(foreign: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([".", str(ROOT)])}
    script = (
        "import multiprocessing\n"
        "def factory():\n"
        "    import importlib\n"
        "    print(importlib.import_module('server.cli.serve_http').__name__, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('spawn').Process(target=factory)\n"
        "    process.start()\n"
        "    process.join()\n"
    )
    program = foreign / "program.py"
    program.write_text(f"import agent_capabilities.command\n{script}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], cwd=foreign, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "server.cli.serve_http", done.stderr
