"""A server over HTTP in a process of its own."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.paths import CACHE_VARIABLE, shipped_data


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            pytest.fail(f"the server ended with status {process.wait(0.05)}")
    pytest.fail("the server does not listen")


@contextlib.contextmanager
def http_server(cache: Path, *options: str) -> Iterator[str]:
    """The address of a server of the shipped data, which is stopped at the end."""
    port = free_port()
    command = [sys.executable, "-m", "server", "serve", "--transport", "http", "--port", str(port), *options]
    environment = os.environ | {CACHE_VARIABLE: str(cache)}
    with subprocess.Popen(command, cwd=shipped_data().parent, env=environment) as process:
        try:
            wait_until_it_listens(process, port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
