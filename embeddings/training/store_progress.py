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
from embeddings.encoder.caching import KEY, EncoderWrapper, key_of
from embeddings.encoder.protocol import TextEncoder
from embeddings.engines import file_log
from embeddings.training.workers_encoder import encoded

logger = logging.getLogger(__name__)

SUFFIX: Final = ".building"

SECONDS_KEPT: Final = 7 * 86_400
"""How long the file of a build that nobody went on with is kept."""


class KeptVectors:
    """Vectors by text: in memory, and in a log that a killed build leaves to the next one."""

    def __init__(self, path: Path | None, dimensions: int) -> None:
        """Read what an earlier build kept.

        Args:
            path: the log, which need not exist; None to keep vectors in memory alone.
            dimensions: numbers in a vector.
        """
        self._path, self._row = path, np.dtype([("text", f"V{KEY}"), ("vector", "<f4", dimensions)])
        self._vectors: dict[bytes, FloatArray] = {}
        self._known = 0
        if path:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
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
        rows = np.zeros(len(texts), self._row)
        rows["text"] = np.frombuffer(b"".join(map(key_of, texts)), f"V{KEY}")
        rows["vector"] = vectors
        self._remember(rows)
        if self._path and len(texts):
            try:
                known = self._known if self._path.exists() else 0
                self._known = file_log.append(self._path, [rows.tobytes()], known)
            except OSError as error:
                self._warn(self._path, error)

    def forget(self) -> None:
        """Remove the log."""
        if self._path:
            _remove(self._path)

    def _read(self, path: Path) -> None:
        for entry in file_log.entries(path):
            if entry and len(entry) % self._row.itemsize == 0:
                self._remember(np.frombuffer(entry, self._row))

    def _remember(self, rows: "np.ndarray[tuple[int], np.dtype[np.void]]") -> None:
        vectors = rows["vector"].astype(np.float32)
        self._vectors.update(zip((bytes(text) for text in rows["text"]), vectors, strict=True))

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
