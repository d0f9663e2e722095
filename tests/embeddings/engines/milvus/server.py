"""Milvus Lite's server as a process of its own, bound to this machine alone."""

import importlib.util
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


class MilvusServer:
    """The server's process, a child of this one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def uri(self, prefix: str) -> str:
        return f"milvus+http://127.0.0.1:{self.port}?prefix={prefix}"

    def start(self) -> None:
        # Without a host it would listen on all interfaces.
        where = ["--data-dir", str(self._folder / "data"), "--host", "127.0.0.1", "--port", str(self.port)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "milvus_lite.cmdline", "server", *where],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + 60
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self._folder / "log").read_text()[-2000:])
            time.sleep(0.1)

    def kill(self) -> None:
        self._send(signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._send(signal.SIGINT)
            self._wait()

    def hang(self) -> None:
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _wait(self) -> None:
        assert self._process is not None
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(30)


def need_packages() -> None:
    """Skip the test if Milvus is not installed."""
    for name in ("pymilvus", "milvus_lite"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"the package {name} is not installed; run `pip install -e '.[stores-test]'`")


@contextmanager
def milvus_server(folder: Path) -> Iterator[MilvusServer]:
    """Yield a running server; skips the test if there can be none."""
    need_packages()
    if sys.platform == "win32":
        pytest.skip("the test's Milvus server is stopped and resumed by signals, which Windows has not")
    server = MilvusServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
