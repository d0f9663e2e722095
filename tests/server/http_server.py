"""A server over HTTP in a process of its own."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

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


def start_server(
    port: int,
    cache: Path,
    *options: str,
    program: Sequence[str] = ("-m", "server"),
    root: Path | None = None,
    log: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """A process that will listen on a port of this machine.

    Args:
        port: to listen on.
        cache: folder for its vectors.
        options: of the command.
        program: what Python runs.
        root: folder of the packages that it runs; those of this checkout when left out.
        log: for its log; where the tests' own goes when left out.
    """
    command = [sys.executable, *program, "serve", "--transport", "http", "--port", str(port), *options]
    environment = os.environ | {CACHE_VARIABLE: str(cache)}
    return subprocess.Popen(command, cwd=root or shipped_data().parent, env=environment, stderr=log)


@contextlib.contextmanager
def http_server(cache: Path, *options: str) -> Iterator[str]:
    """The address of a server of the shipped data, which is stopped at the end."""
    port = free_port()
    with start_server(port, cache, *options) as process:
        try:
            wait_until_it_listens(process, port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
