"""A server of the shipped data in a process of its own, and what is done to it."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2
import pytest

from server.catalog.catalog import phrase_book
from server.catalog.loading import load_catalog
from server.paths import shipped_data
from tests.server.faults.messages import PHRASE, capability_in, lookup, new_client, post_call
from tests.server.http_server import ANY_PORT, port_in, start_server, wait_until_it_listens

SECONDS: Final = 60
"""For anything to happen; it takes one or two."""


def labels_cached(data: Path, cache: Path) -> list[Path]:
    """Return the cached vectors of a data folder's labels."""
    return list(cache.glob(f"{phrase_book(load_catalog(data)).fingerprint[:32]}-*"))


def until(happened: Callable[[], bool], what: str) -> None:
    """Wait for something; fail when it does not come."""
    end = time.monotonic() + SECONDS
    while not happened():
        if time.monotonic() > end:
            pytest.fail(f"{what}: not within {SECONDS} seconds")
        time.sleep(0.02)


@dataclass
class Served:
    """A server: where it listens, what it is started with, and its process.

    Attributes:
        folder: for its log and its cache of vectors.
        options: of the command.
        root: folder of the packages that it runs.
        headers: which every request to it needs.
        program: what Python runs; the server's package when left out.
        port: where it listens, from the first start on.
    """

    folder: Path
    options: Sequence[str] = ()
    root: Path = field(default_factory=lambda: shipped_data().parent)
    headers: Mapping[str, str] = field(default_factory=dict)
    program: Sequence[str] = ("-m", "agent_capabilities")
    port: int = ANY_PORT

    @property
    def site(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.site}/mcp"

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def _log(self) -> Path:
        return self.folder / "server.log"

    def start(self) -> subprocess.Popen[bytes]:
        """Start a process that listens at the address, which the first start chooses."""
        with self._log.open("ab") as log:
            process = start_server(
                self.port, self.folder / "cache", *self.options, program=self.program, root=self.root, log=log
            )
        if self.port == ANY_PORT:
            self.port = port_in(self._log, process)
        return process

    def wait_until_ready(self, state: str = "ok") -> None:
        """Wait until it answers with the matcher that it will have."""

        def ready() -> bool:
            with contextlib.suppress(httpx2.TransportError):
                return bool(client.get(f"{self.site}/readyz").json()["status"] == state)
            return False

        with new_client() as client:
            until(ready, f"the server is {state}")

    def answers(self, era: str, phrase: str = PHRASE) -> str:
        """Return the capability of a phrase, asked again for as long as the server is busy or not there."""
        with new_client() as client:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                with contextlib.suppress(httpx2.ConnectError):
                    response = post_call(client, self.address, era, lookup(phrase), dict(self.headers))
                    if response.status_code != 503:
                        return capability_in(response)
                time.sleep(0.02)
        pytest.fail(f"no answer within {SECONDS} seconds")


@contextlib.contextmanager
def running(served: Served) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server, which is killed at the end, however it fares."""
    with served.start() as process:
        try:
            wait_until_it_listens(process, served.port)
            yield process
        finally:
            process.kill()


class Supervisor:
    """Starts a server again whenever its process ends, as systemd would."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._lock = threading.Lock()
        self._stopped = False
        self.process = served.start()
        self.starts = 1
        self._thread = threading.Thread(target=self._keep_alive)
        self._thread.start()

    def _keep_alive(self) -> None:
        while True:
            self.process.wait()
            with self._lock:
                if self._stopped:
                    return
                self.process = self._served.start()
                self.starts += 1

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            self.process.kill()
        self._thread.join()


@contextlib.contextmanager
def supervised(served: Served) -> Iterator[Supervisor]:
    """Yield a supervisor of a server that is ready."""
    supervisor = Supervisor(served)
    try:
        served.wait_until_ready()
        yield supervisor
    finally:
        supervisor.stop()
