"""Named arrays and a JSON value as one block of bytes: a record as engines keep it. Nothing in it can run."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embeddings.arrays import require

_SIZE: Final = 4
"""Bytes of the length that stands before the JSON value."""

_TYPES: Final = {name: np.dtype(name) for name in ("<u1", "<u2", "<u4", "<i8", "<f4", "<f8")}

MAX_HEADER: Final = 1 << 26

Arrays = Mapping[str, npt.NDArray[Any]]


def pack(value: Any, arrays: Arrays) -> bytes:
    """Return the JSON value, the arrays' types and shapes, and their numbers, little-endian."""
    kinds = {
        name: [array.dtype.newbyteorder("<").str.replace("|", "<"), list(array.shape)] for name, array in arrays.items()
    }
    header = json.dumps({"value": value, "arrays": kinds}, ensure_ascii=True, separators=(",", ":")).encode()
    numbers = [np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes() for array in arrays.values()]
    return b"".join([len(header).to_bytes(_SIZE, "little"), header, *numbers])


def unpack(content: bytes) -> tuple[Any, dict[str, npt.NDArray[Any]]]:
    """Return what `pack` was given; the arrays share the memory of `content` and cannot be written to.

    Raises:
        ValueError: the bytes are not what `pack` writes.
    """
    start = _SIZE + int.from_bytes(content[:_SIZE], "little")
    require(_SIZE < start <= min(len(content), MAX_HEADER), "the length of the header is right")
    header = json.loads(content[_SIZE:start])
    require(isinstance(header, dict) and isinstance(header.get("arrays"), dict), "the header names the arrays")
    found: dict[str, npt.NDArray[Any]] = {}
    for name, (kind, shape) in header["arrays"].items():
        dtype = _TYPES.get(kind)
        if dtype is None or not all(type(size) is int and size >= 0 for size in shape):
            raise ValueError(f"the array {name!r} has the type {kind!r} and shape {shape}; arrays have a known type")
        count = math.prod(shape)
        end = start + count * dtype.itemsize
        require(end <= len(content), "all numbers are there")
        numbers = np.frombuffer(content, dtype, count, start)
        found[name] = numbers if len(shape) == 1 else numbers.reshape(shape)
        start = end
    require(start == len(content), "nothing follows the numbers")
    return header.get("value"), found
