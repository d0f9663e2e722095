"""`build-vectors` with other processes, and builds that are started again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from embeddings.training.store_progress import SUFFIX
from server.cli.main import main
from server.matching.vector_cache import CACHE_VARIABLE
from server.stopping import INTERRUPTED
from tests.server.cli.commands import Commands
from tests.small_model import write_small_model
from tests.toy import BOOK

SECONDS = 100


def build(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "agent_capabilities", "build-vectors", "--catalog", "c.json", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS)


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    return path


def test_workers_are_one_or_more(run: Commands, catalog: Path) -> None:
    for count in ["0", "-1", "two"]:
        assert run("build-vectors", "--catalog", str(catalog), "--workers", count) == 2, count
        assert "--workers" in run.err, count
    assert run("build-vectors", "--catalog", str(catalog), "--workers", "1") == 0


def test_without_ray_the_extra_is_named(run: Commands, catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_BACKEND_LOG_LEVEL"):
        monkeypatch.setenv(name, "before")
    assert run("build-vectors", "--catalog", str(catalog), "--ray", "auto") == 1
    assert "pip install 'agent-capabilities[ray]'" in run.err


def test_a_published_build_leaves_nothing_in_the_cache(
    run: Commands, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    assert run("build-vectors", "--catalog", str(catalog), "--store", str(tmp_path / "c.labels")) == 0
    assert [*(tmp_path / "cache").rglob(f"*{SUFFIX}")] == []


def test_what_a_killed_build_embedded_is_not_embedded_again(
    run: Commands, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    store = str(tmp_path / "c.labels")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("embeddings.engines.file_store.FileStore.publish", die)
        assert run("build-vectors", "--catalog", str(catalog), "--store", store) == INTERRUPTED
    assert run("build-vectors", "--catalog", str(catalog), "--store", store) == 0
    assert "; 0 texts were embedded" in run.out


@pytest.mark.processes
def test_workers_write_the_same_bytes_to_a_store_and_to_a_vector_file(catalog: Path, tmp_path: Path) -> None:
    write_small_model(tmp_path / "model")
    for workers in ("1", "2"):
        for place in (("--store", f"{workers}.labels"), ("--out", f"{workers}.npz")):
            done = build(tmp_path, *place, "--workers", workers, "--model-folder", "model")
            assert done.returncode == 0, done.stderr
    for kind in ("labels", "npz"):
        assert (tmp_path / f"1.{kind}").read_bytes() == (tmp_path / f"2.{kind}").read_bytes()


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups that a signal reaches")
def test_ctrl_c_ends_all_processes_without_a_traceback(tmp_path: Path) -> None:
    # So many texts that embedding them is not over before the signal comes.
    labels = [{"name": f"label {a}", "phrasings": [f"phrase {b} of label {a}" for b in range(200)]} for a in range(50)]
    (tmp_path / "c.json").write_text(json.dumps({"labels": labels}), encoding="utf-8")
    command = [sys.executable, "-m", "agent_capabilities", "build-vectors", "--catalog", "c.json", "--workers", "2"]
    started = subprocess.Popen(
        [*command, "--store", "c.labels"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
    if not children.exists():
        started.kill()
        pytest.skip("this system does not list a process's children")
    # Two workers, and what multiprocessing starts beside them.
    while len(children.read_text().split()) < 3 and started.poll() is None:
        time.sleep(0.05)
    os.killpg(started.pid, signal.SIGINT)
    _, errors = started.communicate(timeout=SECONDS)
    assert started.returncode == INTERRUPTED
    assert "Traceback" not in errors


def test_help_tells_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["build-vectors", "--help"])
    shown = capsys.readouterr().out
    assert "--workers N" in shown
    assert "--ray ADDRESS" in shown
