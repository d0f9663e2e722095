"""No room on the disk for a vector file: when it is rebuilt, and when a server would keep one."""

import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.server.faults.messages import ERAS
from tests.server.faults.served import Served, labels_cached, running
from tests.toy import write_data

pytestmark = pytest.mark.processes

PROJECT: Final = Path(__file__).resolve().parents[3]
ROOM: Final = 100_000
"""Bytes that a file may have; a log has fewer, a vector file more."""
WITH_LITTLE_ROOM: Final = f"""
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({ROOM}, {ROOM}))
sys.path.insert(0, "")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a script in a process that cannot write larger files. Python ignores the signal, and writing fails."""
VECTORS: Final = "capability-vectors.npz"

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a process's files")


Files = dict[str, bytes]


class Rebuilds(NamedTuple):
    """A rebuild that had room and, after it, one that had none."""

    first: Files
    second: Files
    failed: "subprocess.CompletedProcess[str]"


def rebuild(data: Path, *before: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *before, "build_vectors.py", "--data", str(data)]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, encoding="utf-8", check=False)


def files(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def rebuilds(tmp_path_factory: pytest.TempPathFactory) -> Rebuilds:
    data = write_data(tmp_path_factory.mktemp("rebuilt") / "data")
    assert rebuild(data).returncode == 0
    first = files(data)
    assert len(first[VECTORS]) > ROOM
    failed = rebuild(data, "-c", WITH_LITTLE_ROOM)
    return Rebuilds(first, files(data), failed)


@posix
def test_a_rebuild_without_room_leaves_the_old_file_whole_and_no_other(rebuilds: Rebuilds) -> None:
    assert rebuilds.failed.returncode == 1
    assert rebuilds.second == rebuilds.first


@posix
def test_a_rebuild_without_room_says_which_file_why_and_what_to_do(rebuilds: Rebuilds) -> None:
    said = rebuilds.failed.stderr
    assert said.startswith("error: ")
    assert VECTORS in said
    assert "File too large" in said
    assert len(said.split("; ", 2)) == 3
    assert len(said.splitlines()) == 1


@posix
def test_a_server_without_room_for_its_cache_understands_all_the_same(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    program = ("-c", WITH_LITTLE_ROOM, str(PROJECT / "agent_capabilities" / "__main__.py"))
    assert_serves(Served(tmp_path, ["--data", str(data)], program=program))
    assert labels_cached(data, tmp_path / "cache") == []


def test_a_server_whose_cache_cannot_be_a_folder_understands_all_the_same(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    assert_serves(Served(tmp_path, ["--data", str(data)]))
    assert (tmp_path / "cache").read_text(encoding="utf-8") == "a file"


def assert_serves(served: Served) -> None:
    """Fail unless a server embeds its catalog, answers by meaning, and says that it could not keep the vectors."""
    with running(served):
        served.wait_until_ready()
        assert [served.answers(era, "bring my files back") for era in ERAS] == ["Checkpoints"] * len(ERAS)
    assert "vectors could not be cached at " in served.log
    assert "Traceback" not in served.log
