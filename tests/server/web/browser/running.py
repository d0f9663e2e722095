"""Real servers of the page, in processes of their own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from tests.server.http_server import free_port, wait_until_it_listens

SECONDS_TO_BE_READY: Final = 240
SECONDS_TO_END: Final = 30
_OPENER: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def asked(address: str, token: str = "", data: bytes | None = None) -> Any:
    """Request JSON from the server, and return the answer."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with _OPENER.open(urllib.request.Request(address, data, headers), timeout=30) as answer:
        return json.load(answer)


def wait_until_ready(address: str, token: str = "") -> None:
    """Returns as soon as the page's matcher is loaded."""
    end = time.monotonic() + SECONDS_TO_BE_READY
    while time.monotonic() < end:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            if not asked(f"{address}api/about", token)["degraded"]:
                return
        time.sleep(0.2)
    pytest.fail(f"the server at {address} is still degraded after {SECONDS_TO_BE_READY} seconds")


@dataclass(frozen=True)
class Process:
    """A running server."""

    address: str
    """Of the page; ends with a slash."""
    process: subprocess.Popen[bytes]

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Returns when the process is gone."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(SECONDS_TO_END)


@contextlib.contextmanager
def _started(command: list[str], cache: Path, log: Path, stdout: int | None) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {CACHE_VARIABLE: str(cache)}
    with log.open("ab") as errors:
        process = subprocess.Popen(command, cwd=shipped_data().parent, env=environment, stdout=stdout, stderr=errors)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(SECONDS_TO_END)
        if process.stdout:
            process.stdout.close()
        # For pytest, which shows it when the test fails.
        sys.stderr.write(log.read_text(encoding="utf-8", errors="replace"))


@contextlib.contextmanager
def inspection(cache: Path, log: Path, *options: str, ready: bool = True) -> Iterator[Process]:
    """`agent-capabilities inspect`, whose first line on stdout is its address."""
    command = [sys.executable, "-m", "agent_capabilities", "inspect", "--no-open", *options]
    with _started(command, cache, log, subprocess.PIPE) as process:
        assert process.stdout
        address = process.stdout.readline().decode().strip()
        if not address:
            pytest.fail(f"inspect printed no address: {log.read_text(encoding='utf-8', errors='replace')}")
        running = Process(address, process)
        if ready:
            wait_until_ready(running.address)
        yield running


@contextlib.contextmanager
def web_server(
    cache: Path, log: Path, *options: str, port: int | None = None, token: str = "", ready: bool = True
) -> Iterator[Process]:
    """`agent-capabilities serve --transport http --web`."""
    port = port or free_port()
    command = [sys.executable, "-m", "agent_capabilities", "serve", "--transport", "http", "--web"]
    with _started([*command, "--port", str(port), *options], cache, log, None) as process:
        wait_until_it_listens(process, port)
        running = Process(f"http://127.0.0.1:{port}/", process)
        if ready:
            wait_until_ready(running.address, token)
        yield running


def written_json(path: Path, content: Mapping[str, Any]) -> Path:
    """Return a JSON file, replaced in one step."""
    other = path.with_suffix(".new")
    other.write_text(json.dumps(content), encoding="utf-8")
    other.replace(path)
    return path
