"""SQLite files as the store in a file uses them. Errors are OSError or ValueError, as of any other file."""

import errno
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from embeddings.arrays import require
from embeddings.files import open_regular

PATIENCE: Final = 30.0
"""Seconds to wait for another writer."""

_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})

_BESIDE: Final = ("", "-journal", "-wal", "-shm")
"""What SQLite adds to a file's name for those that it opens with it."""

_SEAL: Final = slice(60, 64)
"""The bytes of SQLite's header that are an application's own ("user version"); they hold the checksum of the others."""

_HEADER: Final = 100
_AT_ONCE: Final = 1 << 20

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
    """Open a file, which threads may share; `options` are those of SQLite's URIs.

    Raises:
        OSError: it, or one that SQLite would open with it, is not a regular file: opening a FIFO could wait for ever.
    """
    for opened in (path.with_name(path.name + more) for more in _BESIDE):
        found = stat_of(opened)
        if found and not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(opened))
    name = f"{path.absolute().as_uri()}?{options}"
    database = sqlite3.connect(name, PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    # Nothing that a file brings along may call functions with effects.
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def stat_of(path: Path) -> os.stat_result | None:
    """Return what a path is, None if it is nothing; a journal vanishes as soon as its writer has committed."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def check_schema(database: sqlite3.Connection, schema: str) -> None:
    """Raise ValueError unless a file has the tables of a schema and nothing else, such as a trigger or a view."""
    require(_described(database) == _expected(schema), "it has the tables that this program makes, and no others")


@cache
def _expected(schema: str) -> tuple[object, ...]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(schema)
        return _described(database)


def _described(database: sqlite3.Connection) -> tuple[object, ...]:
    return tuple(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"))


def seal(path: Path) -> None:
    """Write a file's checksum into it; whoever changes the file later breaks the seal."""
    with path.open("r+b") as file:
        file.seek(_SEAL.start)
        file.write(_checksum(path))
        file.flush()
        os.fsync(file.fileno())


def check_seal(path: Path) -> None:
    """Read a file from its beginning to its end, 0.5 s for 1.2 GB in memory, and compare its checksum.

    Raises:
        ValueError: a byte is not as it was written.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        sealed = file.read(_HEADER)[_SEAL]
    require(sealed == _checksum(path), "the checksum is right")


def _checksum(path: Path) -> bytes:
    with open_regular(path) as file:
        head = file.read(_HEADER)
        found = zlib.crc32(head[: _SEAL.start] + head[_SEAL.stop :])
        while part := file.read(_AT_ONCE):
            found = zlib.crc32(part, found)
    return found.to_bytes(4, "big")


@contextmanager
def reading(path: Path, schema: str) -> Iterator[sqlite3.Connection | None]:
    """Read a file as it is at one moment; None if nothing was committed to it yet.

    Raises:
        ValueError: it is damaged, or has other tables than those of `schema`.
        OSError: it cannot be read, or is no regular file.
    """
    found = stat_of(path)
    if found is None or (stat.S_ISREG(found.st_mode) and not found.st_size):
        yield None
        return
    # Not "ro", because a reader takes back what a killed writer left. A file that cannot be written is read as well.
    with translated(path), closing(connected(path, "mode=rw")) as database:
        database.execute("BEGIN")
        check_schema(database, schema)
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
        check_schema(database, schema)
        yield database
        database.execute("COMMIT")
