"""Special files that can stand where a file is expected."""

import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

SECONDS: Final = 20
"""Seconds that a read may take before it counts as hanging."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files in folders")


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_link_to_fifo(path: Path) -> None:
    make_fifo(path.with_name("pipe"))
    path.symlink_to(path.with_name("pipe"))


def make_socket(path: Path) -> None:
    # Its name may have 100 characters or so, which pytest's folders exceed.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


SPECIAL: Final[dict[str, Callable[[Path], object]]] = {
    "FIFO": make_fifo,
    "link to a FIFO": make_link_to_fifo,
    "device": lambda path: path.symlink_to("/dev/null"),
    "socket": make_socket,
    "folder": Path.mkdir,
}


def put_in_place(path: Path, kind: str) -> None:
    """Replace a file by something else."""
    path.unlink(missing_ok=True)
    SPECIAL[kind](path)


def in_time(work: Callable[[], object]) -> None:
    """Run something that could wait for ever; fail when it does, and hand on what it raises."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(SECONDS)
    assert not worker.is_alive(), "it waits"
    if raised:
        raise raised[0]
