"""The command in a process of its own, whose standard streams are closed, broken or full."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

import pytest

from tests.server.faults.served import SECONDS

CLOSED: Final = {"input": "<&-", "output": ">&-", "errors": "2>&-"}
"""Syntax with which a shell closes a standard stream."""
ALL_CLOSED: Final = " ".join(CLOSED.values())
FULL: Final = Path("/dev/full")

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no shell that closes streams")
with_full_device = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is full")


class Ended(NamedTuple):
    """The outcome of a command."""

    status: int
    out: str
    errors: str


def shell(*arguments: str, redirected: str, said: str = "") -> Ended:
    """Run the command with redirections as the shell has them, and something on its standard input."""
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "agent_capabilities", *arguments]
    done = subprocess.run(
        command, input=said, capture_output=True, check=False, encoding="utf-8", env=_environment(), timeout=SECONDS
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextlib.contextmanager
def started(
    *arguments: str, out: int | IO[str] = subprocess.PIPE, errors: int = subprocess.PIPE
) -> Iterator["Process"]:
    """Yield a process of the command, which is killed at the end if it still runs."""
    command = [sys.executable, "-m", "agent_capabilities", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=out, stderr=errors, encoding="utf-8", env=_environment()
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def broken_pipe() -> Iterator[int]:
    """Yield a pipe to write to whose reader has left."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        yield writer
    finally:
        os.close(writer)


Process = subprocess.Popen[str]


def _environment() -> dict[str, str]:
    """As users have it: Python buffers what is printed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
