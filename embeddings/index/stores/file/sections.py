"""A file of named arrays that are read where they lie: a table of contents, then the arrays, each on a page of its own.

Unlike an .npz, it need not be unpacked: what a query does not touch stays on the disk.
"""

import json
import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embeddings.checks import require

MAGIC: Final = b"agent-capabilities labels 1\n"

_LENGTH: Final = 8
_ALIGNMENT: Final = 4096
_TYPES: Final = frozenset({"|u1", "<u2", "<u4", "<u8", "<i8", "<f4", "<f8"})

_FIRST: Final = 1 << 16
"""Where the first array begins; the table of contents of ten arrays has about 700 bytes."""

Sections = Mapping[str, npt.NDArray[Any]]


def written(sections: Sections) -> Iterator[bytes | memoryview]:
    """What a file of these arrays holds, part by part; the same arrays give the same bytes."""
    places: dict[str, Any] = {}
    little = {name: _little(array) for name, array in sections.items()}
    position = _FIRST
    for name, array in little.items():
        places[name] = [position, array.dtype.str, list(array.shape)]
        position = _aligned(position + array.nbytes)
    contents = json.dumps({"sections": places, "size": position}, separators=(",", ":")).encode()
    head = MAGIC + len(contents).to_bytes(_LENGTH, "little") + contents
    require(len(head) <= _FIRST, "the table of contents fits")
    yield head.ljust(_FIRST, b"\0")
    for array in little.values():
        yield array.reshape(-1).view(np.uint8).data
        yield bytes(_aligned(array.nbytes) - array.nbytes)


def _little(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file, which are read from it when they are used, and cannot be written to.

    Raises:
        ValueError: the file is not what `write` writes, or not all of it.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        require(file.read(len(MAGIC)) == MAGIC, "the file begins as such a file does")
        size = int.from_bytes(file.read(_LENGTH), "little")
        require(size < _FIRST, "the table of contents is small")
        contents = json.loads(file.read(size))
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    require(contents["size"] == len(whole), "the file is complete")
    return {name: _section(whole, *place) for name, place in contents["sections"].items()}


def _section(whole: mmap.mmap, position: int, kind: str, shape: list[int]) -> npt.NDArray[Any]:
    require(kind in _TYPES and all(size >= 0 for size in shape), "arrays have a known type")
    count = int(np.prod(shape, dtype=np.int64))
    require(position >= 0 and position + count * np.dtype(kind).itemsize <= len(whole), "arrays lie within the file")
    return np.frombuffer(whole, kind, count, position).reshape(shape)
