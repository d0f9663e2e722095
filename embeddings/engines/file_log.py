"""A log of records: entries are added at its end, and one that was cut off by a kill is not an entry."""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

_LENGTH: Final = 8
_CHECKSUM: Final = 4
_HEAD: Final = _LENGTH + _CHECKSUM


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
        for start, entry in _entries(file, known):
            known = start + _HEAD + len(entry)
        file.seek(known)
        file.truncate()
        for entry in entries:
            file.write(len(entry).to_bytes(_LENGTH, "little") + zlib.crc32(entry).to_bytes(_CHECKSUM, "little") + entry)
        return file.tell()


def entries(path: Path) -> Iterator[bytes]:
    """Return the whole entries of a log; none if there is no such file.

    Raises:
        OSError: the file cannot be read.
    """
    return (entry for _, entry in placed(path))


def placed(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the same, each with its place, by which `at` finds it again."""
    if not path.exists():
        return
    with path.open("rb") as file:
        yield from _entries(file, 0)


def at(path: Path, places: Iterable[int]) -> Iterator[bytes]:
    """Yield the entries at some places.

    Raises:
        OSError: the file cannot be read.
        ValueError: there is none.
    """
    with path.open("rb") as file:
        for place in places:
            found = next(_entries(file, place), None)
            if found is None:
                raise ValueError(f"the entry at byte {place:,} of a build's log was cut off")
            yield found[1]


def _entries(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    file.seek(start)
    while head := file.read(_HEAD):
        entry = file.read(int.from_bytes(head[:_LENGTH], "little"))
        if len(head) < _HEAD or zlib.crc32(entry).to_bytes(_CHECKSUM, "little") != head[_LENGTH:]:
            return
        yield start, entry
        start += _HEAD + len(entry)
