"""A log of records: entries are added at its end, and one that was cut off by a kill is not an entry."""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

_LENGTH: Final = 8
_CHECKSUM: Final = 4


def append(path: Path, entries: Iterable[bytes], known: int = 0) -> int:
    """Add entries, after the last whole one that is there.

    Args:
        path: the log, which need not exist.
        entries: what to add.
        known: up to where it is known to hold whole entries.

    Returns:
        Its length, up to which it holds whole entries.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("r+b" if path.exists() else "x+b") as file:
        for _ in _entries(file, known):
            known = file.tell()
        file.seek(known)
        file.truncate()
        for entry in entries:
            file.write(len(entry).to_bytes(_LENGTH, "little") + zlib.crc32(entry).to_bytes(_CHECKSUM, "little") + entry)
        return file.tell()


def entries(path: Path) -> Iterator[bytes]:
    """The whole entries of a log; none if there is no such file.

    Raises:
        OSError: the file cannot be read.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        yield from _entries(file, 0)


def _entries(file: BinaryIO, start: int) -> Iterator[bytes]:
    file.seek(start)
    while head := file.read(_LENGTH + _CHECKSUM):
        entry = file.read(int.from_bytes(head[:_LENGTH], "little"))
        if len(head) < _LENGTH + _CHECKSUM or zlib.crc32(entry).to_bytes(_CHECKSUM, "little") != head[_LENGTH:]:
            return
        yield entry
