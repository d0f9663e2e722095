"""SQLite files as the store in a file uses them. Errors are OSError or ValueError, as of any other file."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

PATIENCE: Final = 30.0
"""Seconds to wait for another writer."""

_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})

_PRIMARY: Final = 0xFF
"""The bits of an error's code that say its kind."""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what SQLite reports as the error of a file.

    Raises:
        ValueError: the file is damaged, or not of SQLite.
        BlockingIOError: another process holds it for longer than `PATIENCE`.
        OSError: it cannot be read or written.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
        if code in _DAMAGED or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHORT_READ:
            raise ValueError(str(error)) from error
        number = errno.EAGAIN if code == sqlite3.SQLITE_BUSY else errno.EIO
        raise OSError(number, str(error), str(path)) from error


def connected(path: Path, options: str) -> sqlite3.Connection:
    """Open a file, which threads may share; `options` are those of SQLite's URIs."""
    name = f"{path.absolute().as_uri()}?{options}"
    database = sqlite3.connect(name, PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    # Nothing that a file brings along may call functions with effects.
    database.execute("PRAGMA trusted_schema = OFF")
    return database


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Read a file as it is at one moment; None if nothing was committed to it yet."""
    if not path.exists() or not path.stat().st_size:
        yield None
        return
    # Not "ro", because a reader takes back what a killed writer left. A file that cannot be written is read as well.
    with translated(path), closing(connected(path, "mode=rw")) as database:
        database.execute("BEGIN")
        yield database


@contextmanager
def transaction(path: Path, schema: str, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
    """Change a file, which is made if there is none: all of it, or nothing; one process at a time.

    Args:
        path: the file.
        schema: statements that make its tables unless they are there.
        durable: also if the power fails. Otherwise, this may damage the file; a kill does not.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with translated(path), closing(connected(path, "mode=rwc")) as database:
        database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        database.execute("BEGIN IMMEDIATE")
        for statement in schema.split(";"):
            database.execute(statement)
        yield database
        database.execute("COMMIT")
