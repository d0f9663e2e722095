"""A server over HTTP in a process of its own."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import pytest

from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data

ANY_PORT: Final = 0
"""The system chooses a free port; the server's log says which."""
_LISTENS: Final = re.compile(rb"listening on http://\S+:(\d+)\D")


def free_port() -> int:
    """Return a port that is free now; another process may take it before it is used, so prefer `ANY_PORT`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def port_in(log: Path, process: subprocess.Popen[bytes]) -> int:
    """Return the port that the system chose for a server, as soon as its log says so."""
    for _ in range(1200):
        if found := _LISTENS.search(log.read_bytes()):
            return int(found[1])
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(0.05)
            pytest.fail(f"the server ended with status {status}: {log.read_text(encoding='utf-8', errors='replace')}")
    process.kill()
    pytest.fail("the server does not listen")


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
    program: Sequence[str] = ("-m", "agent_capabilities"),
    root: Path | None = None,
    log: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Return a process that will listen on a port of this machine.

    Args:
        port: to listen on; `port_in` finds the one that `ANY_PORT` leads to.
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
    """Yield the address of a server of the shipped data, which is stopped at the end."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as stderr, start_server(ANY_PORT, cache, *options, log=stderr) as process:
            try:
                yield f"http://127.0.0.1:{port_in(log, process)}/mcp"
            finally:
                process.terminate()
        # For pytest, which shows it when the test fails.
        sys.stderr.write(log.read_text(encoding="utf-8", errors="replace"))
