"""Unpacks the .npz of a vector file, up to a size, and only arrays of the types that a build writes."""

import io
import struct
import zipfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from embeddings.arrays import MAX_MAGNITUDE, FloatArray, require, within
from embeddings.index.fitted_index import SIGNALS, FittedIndex
from embeddings.index.vector_product import BLOCK_SIZE, ZERO_POINT, Blocks

Arrays = dict[str, npt.NDArray[Any]]

MAX_BYTES: Final = 1 << 30
"""Largest size in bytes of a file, and of all its arrays when unpacked. The largest build, 16,000 labels of one phrase
each, writes 1.03e9; the shipped file has 11 million and unpacks to 12 million."""

LEXICAL: Final = "lexical_"
"""Prefix of the names of the arrays of the index of character n-grams."""

WORDS: Final = "words_"
"""Prefix of the names of the arrays of the index of words."""

Kind = tuple[int, tuple[type[np.generic], ...]]

_INVERTED_INDEX: Final[Mapping[str, Kind]] = {
    "keys": (1, (np.uint32,)),
    "starts": (1, (np.int64,)),
    "rows": (1, (np.uint8, np.uint16, np.uint32)),
    "weights": (1, (np.float32,)),
    "rarity": (1, (np.float32,)),
    "size": (1, (np.int64,)),
}

KINDS: Final[Mapping[str, Kind]] = {
    "header": (1, (np.uint8,)),
    "book": (1, (np.uint8,)),
    "background": (1, (np.uint8,)),
    "whitening": (2, (np.float32,)),
    "vectors": (3, (np.uint8,)),
    "scales": (2, (np.float32,)),
    "landmarks": (1, (np.int64,)),
    "coefficients": (2, (np.float16,)),
    **{LEXICAL + name: kind for name, kind in _INVERTED_INDEX.items() if name != "weights"},
    LEXICAL + "times": _INVERTED_INDEX["rows"],
    **{WORDS + name: kind for name, kind in _INVERTED_INDEX.items()},
}
"""Number of axes and allowed types of each array."""

HALVES: Final = frozenset(name for name, (_, types) in KINDS.items() if types == (np.float16,))
"""Arrays that are stored in half precision, to which builds round them, and used in single."""

_END: Final = struct.Struct("<4s4H2LH")
"""The last record of a .zip: its signature, four counts of disks and entries, the size and offset of the table of
contents, and the length of the comment that follows."""

_MAX_CONTENTS: Final = 1 << 16
"""Largest table of contents in bytes, because zipfile reads it as a whole; for 20 arrays it has about 1,300."""

_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that zipfile can unpack up to a given size; it unpacks others in one go, without a limit."""


def unpack(content: bytes, kinds: Mapping[str, Kind] = KINDS) -> Arrays:
    """Unpack the arrays that are named; others are not unpacked.

    Args:
        content: the file.
        kinds: number of axes and allowed types of each array.

    Raises:
        Exception: of many types, from this module, numpy and zipfile, if the bytes are not what a build writes.
    """
    _check_end(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_BYTES:
            raise ValueError(f"it unpacks to {size:,} bytes, more than {MAX_BYTES:,}")
        return {name: _array(archive, name, kind) for name, kind in kinds.items()}


def _check_end(content: bytes) -> None:
    """Raise ValueError unless the archive ends without comment or ZIP64 record and its table of contents is small."""
    signature, *_, size, _, comment = _END.unpack(content[-_END.size :].rjust(_END.size))
    before = content[-_END.size - 20 : -_END.size]
    if signature != b"PK\x05\x06" or comment or before.startswith(b"PK\x06\x07"):
        raise ValueError("it does not end like a .zip of less than 4 GB without a comment")
    if size > _MAX_CONTENTS:
        raise ValueError(f"its table of contents has {size:,} bytes, more than {_MAX_CONTENTS:,}")


def _array(archive: zipfile.ZipFile, name: str, kind: Kind) -> npt.NDArray[Any]:
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type not in _METHODS:
        raise ValueError(f"{name!r} is compressed with method {entry.compress_type}, not with deflate")
    with archive.open(entry) as file:
        # Without a size, zipfile would unpack everything, even more than the entry declares.
        unpacked = file.read(entry.file_size)
    return _parsed(name, unpacked, kind)


def _parsed(name: str, unpacked: bytes, kind: Kind) -> npt.NDArray[Any]:
    stream = io.BytesIO(unpacked)
    version = npy.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"{name!r} has .npy version {version}, not (1, 0)")
    shape, by_columns, dtype = npy.read_array_header_1_0(stream)
    axes, types = kind
    if len(shape) != axes or dtype not in types:
        wanted = " or ".join(kind.__name__ for kind in types)
        raise ValueError(f"{name!r} is {dtype} with {len(shape)} axes, not {wanted} with {axes}")
    numbers = np.frombuffer(unpacked, dtype, offset=stream.tell())
    return numbers.reshape(shape, order="F" if by_columns else "C")


_FIELDS: Final[Mapping[str, type]] = {
    "format": int,
    "model": str,
    "book": str,
    "dimensions": int,
    "signals": list,
    "weights": list,
    "lexicalWeights": list,
}
_EXPECTED: Final = 2
_UNIT_TOLERANCE: Final = 0.01
_MIN_STEP: Final = float(np.finfo(np.float32).smallest_subnormal)
_LARGEST_STEP: Final = 1.0
"""The step of a block of zeros. In other blocks it is a 127th of the largest number, which is at most 1 in a unit
vector."""


def check_header(header: Mapping[str, Any]) -> None:
    """Check the JSON types and the numbers of a header's fields.

    Raises:
        ValueError: a rule is broken; the message says which.
    """
    for field, kind in _FIELDS.items():
        found = type(header.get(field))
        # Not with isinstance, because True is an instance of int.
        require(found is kind, f"the header's {field!r} is of type {kind.__name__}, not {found.__name__}")
    require(type(header.get("approximate", False)) is bool, "the header's 'approximate' is true or false")
    expected = header.get("expected", "")
    parts = expected if isinstance(expected, list) else []
    known = len(parts) == _EXPECTED and all(isinstance(part, list) and all(map(_is_weight, part)) for part in parts)
    require(expected is None or known, "the header's 'expected' is null or two lists of numbers")
    for field in ("weights", "lexicalWeights"):
        known = len(header[field]) == len(SIGNALS) and all(map(_is_weight, header[field]))
        require(known, f"the header's {field!r} has one number, at most {MAX_MAGNITUDE:.0e} in size, for each signal")
    require(header["signals"] == list(SIGNALS), "the header's 'signals' are those of this version")


def _is_weight(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and abs(value) <= MAX_MAGNITUDE


def check(fitted: FittedIndex, dimensions: int) -> None:
    """Check the sizes and numbers of arrays whose types have been checked.

    Args:
        fitted: the index that was read.
        dimensions: length of the encoder's vectors.

    Raises:
        ValueError: a rule is broken; the message says which.
    """
    texts, labels = len(fitted.corpus.phrases), len(fitted.corpus.book.labels)
    narrowing = narrows(fitted.whitening, dimensions)
    require(narrowing, "the whitening maps the encoder's vectors to no more dimensions")
    require(
        within(fitted.whitening, -MAX_MAGNITUDE, MAX_MAGNITUDE),
        f"the whitening's numbers are at most {MAX_MAGNITUDE:.0e} in size",
    )
    check_blocks(fitted.blocks, texts)
    fitted.head.check(texts, labels)
    fitted.corpus.lexical.check(texts)
    fitted.corpus.words.check(labels)


def narrows(mapping: FloatArray, dimensions: int) -> bool:
    """Return whether a map, float32 (d, k), takes vectors of these dimensions to at least one and to no more."""
    rows, width = mapping.shape
    return bool(rows == dimensions and 1 <= width <= rows)


def check_blocks(blocks: Blocks, texts: int) -> None:
    """Check the sizes and numbers of the vectors of a number of texts, whose types have been checked.

    Raises:
        ValueError: a rule is broken; the message says which.
    """
    rows, count, size = blocks.values.shape
    require(rows == texts, "there is one vector for each phrase")
    in_blocks = size == BLOCK_SIZE and blocks.scales.shape == (rows, count)
    require(in_blocks and 0 <= count * size - blocks.width < size, "vectors are in blocks and as wide as the whitening")
    require(within(blocks.scales, _MIN_STEP, _LARGEST_STEP), "the scales of vectors are above 0 and at most 1")
    padding = blocks.values.reshape(rows, count * size)[:, blocks.width :]
    require((padding == ZERO_POINT).all(), "blocks are padded with zeros")
    lengths = _lengths(blocks)
    # An encoder may give the zero vector for a text without meaning; its similarity to every text is 0.
    require(((np.abs(lengths - 1) < _UNIT_TOLERANCE) | (lengths == 0)).all(), "vectors have length 1 or 0")


def _lengths(blocks: Blocks) -> FloatArray:
    """Compute the lengths of the vectors, in a quarter of the time that restoring them first would take."""
    steps = blocks.values.astype(np.float32)
    steps -= ZERO_POINT
    lengths: FloatArray = np.sqrt((np.einsum("rbs,rbs->rb", steps, steps) * blocks.scales**2).sum(axis=1))
    return lengths
