"""A file of named arrays, of which some are read as a whole and others a few rows at a time.

What is not read stays on the disk, and in the system's page cache rather than in the memory of the process.
"""

import json
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from embeddings.arrays import IntArray, require
from embeddings.files import open_regular

MAGIC: Final = b"agent-capabilities labels 2\n"

_LENGTH: Final = 8
_ALIGNMENT: Final = 4096
_TYPES: Final = frozenset({"|u1", "<u2", "<u4", "<u8", "<i8", "<f4", "<f8"})

_FIRST: Final = 1 << 16
"""Where the first array begins; the table of contents of ten arrays has about 700 bytes."""

_PIECE: Final = 1 << 30
"""Bytes that are read at once; systems read 2 GB at most."""


class Section(NamedTuple):
    """An array that is written part by part, so that all of it need not be in memory."""

    kind: str
    shape: tuple[int, ...]
    parts: Iterable[bytes | npt.NDArray[Any]]


Sections = Mapping[str, npt.NDArray[Any] | Section]


def written(sections: Sections) -> Iterator[bytes | memoryview]:
    """Yield the contents of a file of these arrays, part by part; the same arrays give the same bytes."""
    places: dict[str, Any] = {}
    all_of = {name: each if isinstance(each, Section) else _section(each) for name, each in sections.items()}
    position = _FIRST
    for name, section in all_of.items():
        places[name] = [position, section.kind, list(section.shape)]
        position = _aligned(position + _size(section.kind, section.shape))
    contents = json.dumps({"sections": places, "size": position}, separators=(",", ":")).encode()
    head = MAGIC + len(contents).to_bytes(_LENGTH, "little") + contents
    require(len(head) <= _FIRST, "the table of contents fits")
    yield head.ljust(_FIRST, b"\0")
    for section in all_of.values():
        for part in section.parts:
            yield part if isinstance(part, bytes) else part.reshape(-1).view(np.uint8).data
        size = _size(section.kind, section.shape)
        yield bytes(_aligned(size) - size)


def _section(array: npt.NDArray[Any]) -> Section:
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return Section(little.dtype.str, little.shape, [little])


def _size(kind: str, shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


class SectionFile:
    """Reads such a file, which stays open, so that it is the same one even if another takes its name.

    Safe to share between threads.
    """

    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises:
            ValueError: it is not what `written` gives, or not all of it.
            OSError: it cannot be read.
        """
        self._file = open_regular(path)
        self._lock = threading.Lock()
        self._closing = weakref.finalize(self, self._file.close)
        try:
            require(self._file.read(len(MAGIC)) == MAGIC, "the file begins as such a file does")
            size = int.from_bytes(self._file.read(_LENGTH), "little")
            require(size < _FIRST, "the table of contents is small")
            contents = json.loads(self._file.read(size))
            self._end = os.fstat(self._file.fileno()).st_size
            require(contents["size"] == self._end, "the file is complete")
            self._places = {name: self._place(*place) for name, place in contents["sections"].items()}
        except BaseException:
            self._closing()
            raise

    def _place(self, position: int, kind: str, shape: list[int]) -> tuple[int, np.dtype[Any], tuple[int, ...]]:
        require(kind in _TYPES and all(size >= 0 for size in shape), "arrays have a known type")
        require(0 <= position <= position + _size(kind, shape) <= self._end, "arrays lie within the file")
        return position, np.dtype(kind), tuple(shape)

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return all of an array."""
        position, kind, shape = self._places[name]
        size = _size(kind.str, shape)
        pieces = [self._read(position + start, min(_PIECE, size - start)) for start in range(0, size, _PIECE)]
        return np.frombuffer(pieces[0] if len(pieces) == 1 else b"".join(pieces), kind).reshape(shape)

    def part(self, name: str, start: int, end: int) -> bytes:
        """Return the bytes of the rows from `start` up to `end`."""
        position, kind, shape = self._places[name]
        row = kind.itemsize * int(np.prod(shape[1:], dtype=np.int64))
        require(0 <= start <= end <= shape[0], "rows lie within their array")
        return self._read(position + start * row, (end - start) * row)

    def rows(self, name: str, rows: IntArray) -> npt.NDArray[Any]:
        """Return some rows of an array, whose numbers are ascending."""
        position, kind, shape = self._places[name]
        row = kind.itemsize * int(np.prod(shape[1:], dtype=np.int64))
        found = b"".join([self._read(place, row) for place in (position + rows * row).tolist()])
        return np.frombuffer(found, kind).reshape(len(rows), *shape[1:])

    def _read(self, position: int, size: int) -> bytes:
        if hasattr(os, "pread"):
            content = os.pread(self._file.fileno(), size, position)
        else:  # Windows has none.
            with self._lock:
                self._file.seek(position)
                content = self._file.read(size)
        if len(content) < size:
            raise ValueError(f"it ends at byte {position + len(content):,}, in the middle of an array")
        return content
