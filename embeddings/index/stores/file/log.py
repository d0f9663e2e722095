"""A log of records: entries are added at its end, and one that was cut off by a kill is not an entry."""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_LENGTH: Final = 8
_CHECKSUM: Final = 4


def append(path: Path, entries: Iterable[bytes]) -> None:
    """Add entries, after the last whole one that is there.

    Raises:
        OSError: the file cannot be written.
    """
    end = _end(path)
    with path.open("r+b" if path.exists() else "xb") as file:
        file.truncate(end)
        file.seek(end)
        for entry in entries:
            file.write(len(entry).to_bytes(_LENGTH, "little") + zlib.crc32(entry).to_bytes(_CHECKSUM, "little") + entry)


def entries(path: Path) -> Iterator[bytes]:
    """The whole entries of a log; none if there is no such file.

    Raises:
        OSError: the file cannot be read.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        while head := file.read(_LENGTH + _CHECKSUM):
            entry = file.read(int.from_bytes(head[:_LENGTH], "little"))
            if len(head) < _LENGTH + _CHECKSUM or zlib.crc32(entry).to_bytes(_CHECKSUM, "little") != head[_LENGTH:]:
                return
            yield entry


def _end(path: Path) -> int:
    return sum(_LENGTH + _CHECKSUM + len(entry) for entry in entries(path))
