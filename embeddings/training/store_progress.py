"""Vectors of a build under way that its store does not have yet, kept in a file until the build is published.

They are those of the encoder, all 32 bits of them: whitening and weights are fitted to them, and the last bit counts.
"""

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.caching import EncoderWrapper, key_of
from embeddings.encoder.protocol import TextEncoder
from embeddings.engines.file_sqlite import reading, transaction
from embeddings.files import PRIVATE, make_private_folder
from embeddings.training.workers_encoder import encoded

logger = logging.getLogger(__name__)

SUFFIX: Final = ".building"

SECONDS_KEPT: Final = 7 * 86_400
"""How long the file of a build that nobody went on with is kept."""


_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB NOT NULL)"


class KeptVectors:
    """Vectors by text: in memory, and in a file that a killed build leaves to the next one."""

    def __init__(self, path: Path | None, dimensions: int) -> None:
        """Read what an earlier build kept.

        Args:
            path: the file, which need not exist; None to keep vectors in memory alone.
            dimensions: numbers in a vector.
        """
        self._path, self._dimensions = path, dimensions
        self._vectors: dict[bytes, FloatArray] = {}
        if path:
            try:
                make_private_folder(path.parent)
                self._read(path)
            except OSError as error:
                self._warn(path, error)

    @classmethod
    def of(cls, folder: Path | None, version: str, dimensions: int) -> Self:
        """Open the vectors of a build, in a folder; files of builds that nobody went on with are removed from it."""
        if folder is None:
            return cls(None, dimensions)
        for path in folder.glob(f"*{SUFFIX}") if folder.is_dir() else ():
            if time.time() - path.stat().st_mtime > SECONDS_KEPT:
                _remove(path)
        return cls(folder / f"{version}{SUFFIX}", dimensions)

    def get(self, text: str) -> FloatArray | None:
        """Return the vector of a text; None if it is not kept."""
        return self._vectors.get(key_of(text))

    def add(self, texts: Sequence[str], vectors: FloatArray) -> None:
        """Keep the vectors of texts: float32 (len(texts), d). A full disk is no fault; memory keeps them still."""
        rows = [*zip(map(key_of, texts), np.asarray(vectors, dtype="<f4"), strict=True)]
        self._vectors.update(rows)
        if self._path and rows:
            try:
                self._path.touch(PRIVATE)  # SQLite would let everyone read it; files that it makes beside it follow it.
                with transaction(self._path, _SCHEMA, durable=False) as database:
                    content = ((text, vector.tobytes()) for text, vector in rows)
                    database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", content)
            except OSError as error:
                # A full disk needs the room, and no later step of the build would remove the file.
                self.forget()
                self._warn(self._path, error)

    def forget(self) -> None:
        """Remove the file."""
        if self._path:
            _remove(self._path)

    def _read(self, path: Path) -> None:
        try:
            with reading(path, _SCHEMA) as database:
                rows = database.execute("SELECT text, vector FROM vectors").fetchall() if database else []
        except ValueError:  # It is damaged; what it held is embedded again.
            _remove(path)
            return
        found = ((text, np.frombuffer(vector, "<f4")) for text, vector in rows)
        self._vectors |= {text: vector for text, vector in found if len(vector) == self._dimensions}

    def _warn(self, path: Path, error: OSError) -> None:
        logger.warning(
            "%s cannot be used (%s); it keeps what is embedded before anything is stored; the build goes on, but if it "
            "is killed, that is embedded again",
            path,
            error.strerror or error,
        )
        self._path = None


class KeptEncoder(EncoderWrapper):
    """Embeds only texts whose vectors are not kept."""

    def __init__(self, encoder: TextEncoder, kept: KeptVectors, *, adds: bool) -> None:
        """Embed what is missing.

        Args:
            encoder: whose vectors these are.
            kept: the vectors that there are.
            adds: also keep what is embedded.
        """
        super().__init__(encoder)
        self._kept, self._adds = kept, adds
        self.embedded = 0
        """Texts embedded so far."""
        self.skipped = 0
        """Texts whose vectors were kept."""

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions)."""
        (vectors,) = self.encode_batches([texts])
        return vectors

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[FloatArray]:
        """Embed batches, and yield the vectors of each in their order."""
        waiting: deque[tuple[Sequence[str], list[str]]] = deque()

        def missing() -> Iterator[list[str]]:
            for batch in batches:
                new = [text for text in dict.fromkeys(batch) if self._kept.get(text) is None]
                waiting.append((batch, new))
                yield new

        for vectors in encoded(missing(), self._encoder):
            batch, new = waiting.popleft()
            self.embedded += len(new)
            self.skipped += len(batch) - len(new)
            if self._adds:
                self._kept.add(new, vectors)
            found = dict(zip(new, vectors, strict=True))
            rows = [found[text] if text in found else self._kept.get(text) for text in batch]
            yield np.array(rows, dtype=np.float32).reshape(-1, self.dimensions)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("%s cannot be removed (%s); no build needs it any more; remove it", path, error)
