"""Server processes that stand behind a proxy, and can be stopped and started again at the same address."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server.http_server import free_port, start_server, wait_until_it_listens

SECONDS_TO_END = 30


class Replica:
    """One server of the shipped data."""

    def __init__(self, cache: Path, *options: str) -> None:
        self._port = free_port()
        self._cache = cache
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Host and port, as the proxy's log names it."""
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Returns when it listens, which is before it is ready."""
        self._process = start_server(self._port, self._cache, *self._options)
        wait_until_it_listens(self._process, self._port)

    def end(self, signal: int) -> None:
        """Returns when the process is gone."""
        assert self._process
        self._process.send_signal(signal)
        self._process.wait(SECONDS_TO_END)

    def clean_up(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait(SECONDS_TO_END)


@contextmanager
def two_replicas(cache: Path, *options: str) -> Iterator[tuple[Replica, Replica]]:
    """Yield both while they listen; they are gone at the end, however they were left."""
    first, second = Replica(cache, *options), Replica(cache, *options)
    try:
        first.start()
        second.start()
        yield first, second
    finally:
        first.clean_up()
        second.clean_up()
