import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from embeddings.engines.file_store import FileStore
from tests.embeddings.training.killing import build_part
from tests.toy import ToyEncoder

pytestmark = [pytest.mark.processes, pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")]

MOMENTS = [
    *[("embedding", number) for number in (1, 4, 12)],
    *[("committing", number) for number in (1, 3, 8, 15)],
    ("publishing", 1),
    ("replacing", 1),
    ("forgetting", 1),
]
"""Where, and at which call: within an encoder's call, before the end of a transaction (of fitting first, then of
writing), before the version is published, in the middle of the new file, and before what was written is removed."""


def killing(path: Path, *moment: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tests.embeddings.training.killing", path, path.parent / "cache", *moment]
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("undisturbed") / "c.labels"
    build_part(FileStore(path), path.parent / "cache", ToyEncoder())
    return path


@pytest.mark.parametrize(("moment", "number"), MOMENTS)
def test_a_build_killed_at_any_moment_ends_with_the_same_bytes_when_started_again(
    tmp_path: Path, undisturbed: Path, moment: str, number: int
) -> None:
    path = tmp_path / "c.labels"
    killed = killing(path, moment, number)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    build_part(FileStore(path), tmp_path / "cache", ToyEncoder())
    assert path.read_bytes() == undisturbed.read_bytes()
    assert FileStore(path).verify() == []
    assert [*(tmp_path / "cache").iterdir()] == []
