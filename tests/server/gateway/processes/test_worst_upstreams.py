"""While one upstream does its worst, the gateway answers everybody else, and does not grow."""

import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from server.gateway.tool_catalog.json_file import USER_DATA_VARIABLE
from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from tests.server.faults.messages import ERAS, call, new_client, post_call
from tests.server.gateway.processes import worst_server
from tests.server.gateway.processes.running_gateway import command, raw_entry, written
from tests.server.gateway.processes.worst_server import ANSWERS, NOTICES, REFUSED
from tests.server.http_server import port_in

pytestmark = [
    pytest.mark.processes,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]

WAITS: Final = {"health": 1.0, "search": 1.5, "call": 2.0}
"""Seconds that others wait at most for `/healthz`, for a search, and for a call of another upstream."""

GROWTH: Final = 300
"""Megabytes by which the gateway grows at most."""

TOKEN: Final = "token-of-ann-0123456789"
ALLOWED: Final = {"Authorization": f"Bearer {TOKEN}"}

BOMBS: Final = {"json": "application/json", "events": "text/event-stream"}


class Bombs(BaseHTTPRequestHandler):
    """Answers every request with 200 MB that are compressed to 200 kB; the path says as what."""

    def do_POST(self) -> None:
        kind = self.path.strip("/")
        inner = b" " * 200_000_000 if kind == "json" else b"data: " + b"x" * 200_000_000
        self.send_response(200)
        self.send_header("Content-Type", BOMBS[kind])
        self.send_header("Content-Encoding", "gzip")
        body = gzip.compress(inner, 1)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@dataclass
class Gateway:
    """A gateway over HTTP: its address, its process, and what others waited for at most."""

    site: str
    process: int
    waits: dict[str, float] = field(default_factory=dict)

    def call(self, client: httpx2.Client, name: str, **arguments: Any) -> httpx2.Response:
        return self.ask(client, "call_tool", name=name, arguments=arguments)

    def ask(self, client: httpx2.Client, tool: str, **arguments: Any) -> httpx2.Response:
        return post_call(client, f"{self.site}/mcp", ERAS[1], call(tool, **arguments), ALLOWED)

    @property
    def megabytes(self) -> int:
        """The most memory that the process has had."""
        status = Path(f"/proc/{self.process}/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Ask for health, searches and calls of another upstream all the time, in turns."""
        stopped, failures = threading.Event(), list[BaseException]()
        self.waits = dict.fromkeys(WAITS, 0.0)
        asking = threading.Thread(target=self._ask_until, args=(stopped, failures))
        asking.start()
        try:
            yield
        finally:
            stopped.set()
            asking.join()
        assert not failures

    def _ask_until(self, stopped: threading.Event, failures: list[BaseException]) -> None:
        try:
            with new_client() as client:
                while not stopped.is_set():
                    self._measure("health", lambda: client.get(f"{self.site}/healthz"))
                    self._measure("search", lambda: self.ask(client, "search_tools", need="say it back to me"))
                    self._measure("call", lambda: self.call(client, "quiet__echo", text="heard"))
        except BaseException as failure:
            failures.append(failure)

    def _measure(self, what: str, action: Callable[[], httpx2.Response]) -> None:
        start = time.monotonic()
        answer = action()
        self.waits[what] = max(self.waits[what], time.monotonic() - start)
        assert answer.status_code == 200, answer.text[:300]
        assert what != "call" or "heard" in answer.text


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("worst")
    bombs = ThreadingHTTPServer(("127.0.0.1", 0), Bombs)
    threading.Thread(target=bombs.serve_forever, daemon=True).start()
    web: dict[str, dict[str, Any]] = {kind: {"url": f"http://127.0.0.1:{bombs.server_port}/{kind}"} for kind in BOMBS}
    worst = {"command": sys.executable, "args": ["-m", worst_server.__name__], "cwd": str(shipped_data().parent)}
    names = worst | {"args": [*worst["args"], "names"]}
    file = written(folder, ".mcp.json", worst=worst, names=names, quiet=raw_entry(), **web)
    shared = [part for name in ("worst", "quiet", "names", *BOMBS) for part in ("--share", name)]
    tokens, rules = folder / "tokens.json", folder / "rules.json"
    tokens.write_text(json.dumps({"ann": TOKEN}), encoding="utf-8")
    rules.write_text(json.dumps({"ann": ["*"]}), encoding="utf-8")
    access = ["--tokens", str(tokens), "--allowlist", str(rules)]
    program = command([file], "--transport", "http", "--port", "0", "--pin-descriptions", *access, *shared)
    folders = {CACHE_VARIABLE: str(folder / "cache"), USER_DATA_VARIABLE: str(folder / "user")}
    with (
        (folder / "log").open("wb") as err,
        subprocess.Popen(program, cwd=shipped_data().parent, env=os.environ | folders, stderr=err) as process,
    ):
        try:
            found = Gateway(f"http://127.0.0.1:{port_in(folder / 'log', process)}", process.pid)
            with new_client() as client:
                found.call(client, "worst__worst", kind="nothing")
                while '"degraded":' in found.ask(client, "search_tools", need="say it back to me").text:
                    time.sleep(0.5)
            yield found
        finally:
            process.terminate()
            bombs.shutdown()
            bombs.server_close()


@pytest.mark.parametrize("kind", [*ANSWERS, *NOTICES, "noise"])
def test_whatever_an_upstream_sends_others_are_answered_meanwhile(gateway: Gateway, kind: str) -> None:
    before = gateway.megabytes
    with new_client() as client, gateway.watched():
        answer = gateway.call(client, "worst__worst", kind=kind)
        assert answer.status_code == 200, answer.text[:300]
    assert ('"isError":true' in answer.text) == (kind in REFUSED), answer.text[:300]
    assert all(gateway.waits[what] <= most for what, most in WAITS.items()), gateway.waits
    assert gateway.megabytes - before <= GROWTH


@pytest.mark.parametrize("kind", BOMBS)
def test_whatever_a_body_unpacks_to_others_are_answered_meanwhile(gateway: Gateway, kind: str) -> None:
    before = gateway.megabytes
    with new_client() as client, gateway.watched():
        gateway.call(client, f"{kind}__any")
    assert all(gateway.waits[what] <= most for what, most in WAITS.items()), gateway.waits
    assert gateway.megabytes - before <= GROWTH
