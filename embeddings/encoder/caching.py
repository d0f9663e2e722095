"""Encoders that keep vectors, for work that encodes the same texts again: in memory, in a store, in a file.

The file has hashes of texts and their vectors in half precision, 784 bytes for each text.
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
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


class EncoderWrapper:
    """An encoder around another, whose properties it has; subclasses define how texts are encoded."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Wrap `encoder`."""
        self._encoder = encoder

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the model."""
        return self._encoder.fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model reads."""
        return self._encoder.languages

    def knows(self, word: str) -> bool:
        """Return whether the model knows a lower-case word."""
        return self._encoder.knows(word)


_AT_A_TIME: Final = 512


class CachedEncoder(EncoderWrapper):
    """Encodes each text once, and keeps all vectors: 1.5 kB for each text with the shipped model."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Encode with `encoder`."""
        super().__init__(encoder)
        self._vectors: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions), each row of unit length; only new texts are encoded."""
        new = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if new:
            self._vectors.update(zip(new, self._encoder.encode(new), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimensions)

    def fill(self, texts: Sequence[str], progress: Callable[[int, int], object]) -> None:
        """Encode texts in parts; `progress` is called with the number of texts done and of all texts."""
        for start in range(0, len(texts), _AT_A_TIME):
            self.encode(texts[start : start + _AT_A_TIME])
            progress(min(start + _AT_A_TIME, len(texts)), len(texts))


class TextStore(Protocol):
    """Vectors by text."""

    def get(self, text: str) -> HalfArray | None:
        """Return the vector of a text; None if it is not stored."""

    def add(self, vectors: Iterable[tuple[str, HalfArray]]) -> None:
        """Store the vectors of new texts."""


class StoredEncoder(EncoderWrapper):
    """Serves stored vectors, and has the others embedded and stored.

    All vectors have the store's precision, so that a catalog gives the same matcher whether it was stored or not.
    """

    def __init__(self, encoder: TextEncoder, store: TextStore, embedder: Callable[[int], TextEncoder] | None = None):
        """Embed what `store` lacks.

        Args:
            encoder: whose vectors these are.
            store: holds vectors of this encoder.
            embedder: given the number of new texts, the same model, perhaps with more threads (default: `encoder`).
        """
        super().__init__(encoder)
        self._store = store
        self._embedder = embedder or (lambda _: encoder)
        self._awaited: set[str] = set()
        self.embedded = 0
        """Texts embedded so far."""

    @property
    def pending(self) -> int:
        """Texts announced with `expect` that are not embedded yet."""
        return len(self._awaited)

    def expect(self, texts: Iterable[str]) -> None:
        """Announce what will be encoded, so that `pending` counts what is new of it."""
        self._awaited = {text for text in texts if self._store.get(text) is None}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions); only those that are not stored are embedded."""
        new = [text for text in dict.fromkeys(texts) if self._store.get(text) is None]
        if new:
            vectors = self._embedder(max(len(new), len(self._awaited))).encode(new)
            self._store.add(zip(new, half(vectors), strict=True))
            self.embedded += len(new)
            self._awaited.difference_update(new)
        return np.array([self._store.get(text) for text in texts], dtype=np.float32).reshape(-1, self.dimensions)
