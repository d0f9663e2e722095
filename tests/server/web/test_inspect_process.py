"""`inspect` as a process of its own."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from tests.server.faults.served import until
from tests.server.label_catalog import CATALOG, written

pytestmark = pytest.mark.processes


@dataclass(frozen=True)
class Inspected:
    """A running page.

    Attributes:
        address: the first line that was printed.
        process: of the command.
        log: file of its stderr.
    """

    address: str
    process: subprocess.Popen[bytes]
    log: Path

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(self.address + path, timeout=60)

    def answer(self, path: str) -> dict[str, Any]:
        return dict(self.get(path).json())


@contextlib.contextmanager
def inspected(folder: Path, *options: str) -> Iterator[Inspected]:
    """Run the command, which is killed at the end if it still runs."""
    command = [sys.executable, "-m", "agent_capabilities", "inspect", "--no-open", *options]
    environment = os.environ | {CACHE_VARIABLE: str(folder / "cache")}
    log = folder / "log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            command, cwd=shipped_data().parent, env=environment, stdout=subprocess.PIPE, stderr=stderr
        ) as process,
    ):
        try:
            assert process.stdout
            line = process.stdout.readline().decode().rstrip("\r\n")
            assert line, log.read_text(encoding="utf-8")
            yield Inspected(line, process, log)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inspected]:
    """Yield the page of the shipped catalog."""
    with inspected(tmp_path_factory.mktemp("inspect")) as page:
        yield page


def test_the_address_leads_to_the_page_of_the_shipped_catalog(page: Inspected) -> None:
    assert page.address.startswith("http://127.0.0.1:")
    assert page.address.endswith("/")
    assert "<!doctype html>" in page.get("").text
    about = page.answer("api/about")
    assert (about["title"], about["labels"]) == ("56 capabilities of 6 agents", 56)


def test_a_phrase_is_answered_and_shown_on_the_map(page: Inspected) -> None:
    until(lambda: not page.answer("api/about")["degraded"], "the matcher is loaded")
    answer = page.answer("api/match?q=can%20it%20undo%20what%20it%20did")
    assert answer["candidates"][0]["name"] == "Checkpoints"
    assert len(answer["point"]) == 2
    assert len(page.answer("api/map")["points"]) > 10_000


def test_nobody_else_learns_anything_and_the_log_has_no_token(page: Inspected) -> None:
    token = page.address.split("/")[3]
    site = page.address.removesuffix(f"{token}/")
    assert httpx2.get(site + "api/about").status_code == 401
    other = token[:-1] + ("y" if token.endswith("x") else "x")
    assert httpx2.get(f"{site}{other}/api/about").status_code == 404
    page.get("api/nothing")
    httpx2.get(page.address, headers={"Host": "elsewhere.example"})
    assert token not in page.log.read_text(encoding="utf-8")


def test_only_this_machine_is_listened_to(page: Inspected) -> None:
    port = int(page.address.split(":")[2].split("/")[0])
    with socket.socket() as probe:
        probe.settimeout(5)
        # Another address of the loopback stands for those of the network.
        with pytest.raises(OSError, match=r"refused|timed out|unreachable|assign"):
            probe.connect(("127.0.0.2", port))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to stop a process with")
@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 0)])
def test_a_signal_ends_it_within_a_second_whatever_is_under_way(tmp_path: Path, number: str, status: int) -> None:
    rows = [json.dumps({"query": f"undo what it did {row}", "gold": ["Checkpoints"]}) for row in range(2000)]
    (tmp_path / "labelled.jsonl").write_text("\n".join(rows), encoding="utf-8")
    with inspected(tmp_path) as page:
        until(lambda: not page.answer("api/about")["degraded"], "the matcher is loaded")
        page.get("api/preflight")
        with pytest.raises(httpx2.TimeoutException):
            httpx2.post(page.address + "api/coverage", params={"path": str(tmp_path / "labelled.jsonl")}, timeout=0.3)
        begun = time.monotonic()
        page.process.send_signal(getattr(signal, number))
        assert page.process.wait(60) == status
        assert time.monotonic() - begun < 1
        assert page.process.stdout
        assert page.process.stdout.read() == b""
    assert "Traceback" not in page.log.read_text(encoding="utf-8")


def test_a_changed_catalog_is_shown_soon(tmp_path: Path) -> None:
    file = written(tmp_path / "labels.json", CATALOG)
    with inspected(tmp_path, "--catalog", str(file)) as page:
        before = page.answer("api/about")
        assert before["title"] == "labels.json"
        more = {**CATALOG, "labels": [*CATALOG["labels"], {"name": "Print", "phrasings": ["put it on paper"]}]}
        written(file, more)
        until(lambda: page.answer("api/about")["labels"] == before["labels"] + 1, "the new label is shown")
        assert page.answer("api/about")["catalog"] != before["catalog"]


def test_the_tools_of_configured_servers_are_shown(tmp_path: Path) -> None:
    server = {
        "command": sys.executable,
        "args": ["-m", "agent_capabilities", "serve"],
        "cwd": str(shipped_data().parent),
    }
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"agents": server}}), encoding="utf-8")
    with inspected(tmp_path, "--config", str(config)) as page:
        about = page.answer("api/about")
        assert (about["kind"], about["labels"]) == ("labels", 4)
        assert str(config) in about["title"]
        assert page.answer("api/match?q=compare%20agents")["candidates"]


def test_a_port_that_is_taken_is_a_fault(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        command = [sys.executable, "-m", "agent_capabilities", "inspect", "--no-open"]
        port = str(other.getsockname()[1])
        ended = subprocess.run([*command, "--port", port], capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"Traceback" not in ended.stderr
