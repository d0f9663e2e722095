"""One writer at a time, among the processes of a machine."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from embeddings.errors import StoreError

PATIENCE: Final = 30.0
"""Seconds to wait for another writer."""

_PAUSE: Final = 0.05


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock, which the system lets go when the process ends, however it ends.

    Raises:
        StoreError: another process holds it for longer than `PATIENCE`.
        OSError: the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _wait(handle, path)
        yield
    finally:
        os.close(handle)


def _wait(handle: int, path: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not _taken(handle):
        if time.monotonic() > end:
            raise StoreError(
                f"{str(path)!r} is held by another process for over {PATIENCE:.0f} s; one process writes a store at a "
                "time; wait until it is done, or end it"
            )
        time.sleep(_PAUSE)


def _taken(handle: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
