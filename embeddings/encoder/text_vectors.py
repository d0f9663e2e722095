"""A file of vectors by text: hashes of texts and their vectors in half precision, 784 bytes for each text."""

import hashlib
import io
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.errors import VectorFileError
from embeddings.files import read_bytes, write_atomically

LARGEST: Final = 256 << 20
"""Maximum bytes of a file that is read."""

KEY: Final = 16
"""Bytes of a text's hash."""

HalfArray = npt.NDArray[np.float16]


def key_of(text: str) -> bytes:
    """Return what a text is stored under."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:KEY]


def half(vectors: npt.NDArray[np.floating]) -> HalfArray:
    """Return the precision that is stored; cosines change by less than 0.001."""
    return vectors.astype(np.float16)


def write(path: Path, rows: Iterable[tuple[bytes, HalfArray]]) -> None:
    """Write keys and vectors, atomically. There must be at least one.

    Raises:
        OSError: the folder cannot be written.
    """
    keys, vectors = zip(*rows, strict=True)
    buffer = io.BytesIO()
    np.savez(buffer, keys=np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, KEY), vectors=np.stack(vectors))
    write_atomically(path, buffer.getvalue())


def read(path: Path, dimensions: int) -> list[tuple[bytes, HalfArray]]:
    """Read keys and vectors, in the order in which they were written.

    Raises:
        VectorFileError: the file is missing or damaged, or its vectors are of another length.
    """
    try:
        with np.load(io.BytesIO(read_bytes(path, LARGEST)), allow_pickle=False) as stored:
            keys, vectors = stored["keys"], stored["vectors"]
    except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise _damaged(path, str(error)) from error
    form, rows = (keys.shape, keys.dtype, vectors.shape, vectors.dtype), keys.shape[:1]
    if form != ((*rows, KEY), np.uint8, (*rows, dimensions), np.float16):
        raise _damaged(path, f"it holds arrays of {keys.shape} and {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise _damaged(path, "not all of its numbers are finite")
    return list(zip(map(bytes, keys), vectors, strict=True))


def _damaged(path: Path, why: str) -> VectorFileError:
    return VectorFileError(
        f"{path} cannot be used ({why}); it must hold 'keys' and 'vectors' of texts; delete it, and texts are embedded "
        "again"
    )
