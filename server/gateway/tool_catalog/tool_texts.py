"""Embeds texts of tools, each once: vectors are kept in the user's cache folder.

Each file holds some texts of one model and is never changed, so that several processes can add files at once. When
there are many, they are merged. They count towards the limits of the cache of vectors.
"""

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.errors import VectorFileError
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader
from server.matching.matcher_provider import release_freed_memory

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.caching import HalfArray, StoredEncoder
    from embeddings.encoder.protocol import TextEncoder


logger = logging.getLogger(__name__)

KIND: Final = ".texts"

MAX_FILES: Final = 8
"""Files of a model from which on they are merged into one."""

MAX_TEXTS: Final = 40_000
"""Texts of a model that are kept when files are merged: 31 MB, the texts of some 10,000 tools."""


SAVED_AT_ONCE: Final = 512
"""New texts from which on they are written, so that a process that is ended early has not embedded them in vain."""


class TextCache:
    """The cached vectors of one model, as they were when it was opened, and those that are added."""

    def __init__(self, encoder: "TextEncoder") -> None:
        """Read the vectors of `encoder`'s model; a file that cannot be read is left out."""
        # Imported here because it needs numpy, and a gateway lists its tools before that is loaded.
        from embeddings.encoder import caching

        self._caching = caching
        self._encoder = encoder
        self._known: dict[bytes, HalfArray] = {}
        self._used: dict[bytes, None] = {}
        self._new: dict[bytes, HalfArray] = {}
        for path in self._files():
            self._read(path)

    def get(self, text: str) -> "HalfArray | None":
        """Return the vector of a text; None if it is not known."""
        key = self._caching.key_of(text)
        vector = self._known.get(key)
        if vector is not None:
            self._used[key] = None
        return vector

    def add(self, vectors: "Iterable[tuple[str, HalfArray]]") -> None:
        """Take vectors of new texts; they are written when there are many, and by `save`."""
        added = {self._caching.key_of(text): vector for text, vector in vectors}
        self._new |= added
        self._known |= added
        if len(self._new) >= SAVED_AT_ONCE:
            self.save()

    def save(self) -> None:
        """Write what was added since the last time; log a warning if it cannot be written."""
        if not self._new:
            return
        files = self._files()
        merged = files if len(files) >= MAX_FILES - 1 else []
        rows = self._with(merged) if merged else self._new
        try:
            path = self._path(rows)
            vector_cache.store(lambda to: self._caching.write(to, rows.items()), path)
        except VectorFileError as error:
            logger.warning("%s; texts of tools are embedded again next time", error)
            return
        self._new = {}
        for old in merged:
            if old != path:
                _remove(old)

    def _with(self, files: Iterable[Path]) -> "dict[bytes, HalfArray]":
        """Merge the new vectors with those of the files; beyond the limit, what was used stays."""
        for path in files:
            self._read(path)
        kept = dict.fromkeys([*self._new, *self._used, *self._known])
        return {key: self._known[key] for key in list(kept)[:MAX_TEXTS]}

    def _path(self, rows: Iterable[bytes]) -> Path:
        return vector_cache.path_of(hashlib.sha256(b"".join(rows)).hexdigest(), self._encoder, KIND)

    def _files(self) -> list[Path]:
        """Return the files of the model, the newest first."""
        try:
            pattern = self._path(()).name[32:]
            found = [(path.stat().st_mtime_ns, path) for path in self._path(()).parent.glob(f"*{pattern}")]
        except (OSError, VectorFileError) as error:
            logger.debug("no cached texts: %s", error)
            return []
        return [path for _, path in sorted(found, reverse=True)]

    def _read(self, path: Path) -> None:
        try:
            rows = self._caching.read(path, self._encoder.dimensions)
        except VectorFileError as error:
            logger.debug("vectors not used: %s", error)
            return
        vector_cache.mark_used(path)
        for key, vector in rows:
            self._known.setdefault(key, vector)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.debug("%s stays in the cache: %s", path, error)


MANY_TEXTS: Final = 100
"""New texts from which on they are embedded by all cores but one; fewer take a fifth of a second."""


class ToolTexts:
    """Embeds texts of tools. The counts may be read by any thread."""

    def __init__(self, loader: EncoderLoader) -> None:
        """Embed with the encoder that `loader` loads."""
        self._loader = loader
        self._counting = threading.Lock()
        self._texts: StoredEncoder | None = None
        self._embedded = 0

    @property
    def pending(self) -> int:
        """Texts that wait to be embedded."""
        texts = self._texts
        return texts.pending if texts else 0

    @property
    def embedded(self) -> int:
        """Texts embedded since the start; cached ones do not count."""
        with self._counting:
            return self._embedded + (self._texts.embedded if self._texts else 0)

    @contextmanager
    def embedder(self, encoder: "TextEncoder", expected: Sequence[str]) -> "Iterator[StoredEncoder]":
        """Return an encoder of some texts that gives the vectors of `encoder`; used by one thread at a time.

        Args:
            encoder: embeds queries, and few texts.
            expected: the texts, as far as they are known.
        """
        from embeddings.encoder.caching import StoredEncoder

        cache = TextCache(encoder)
        texts = StoredEncoder(encoder, cache, self._chooser(encoder))
        texts.expect(expected)
        self._texts = texts
        try:
            yield texts
        finally:
            # What was embedded counts and is kept, whatever happened after it.
            with self._counting:
                self._embedded, self._texts = self._embedded + texts.embedded, None
            cache.save()
            release_freed_memory()

    def _chooser(self, encoder: "TextEncoder") -> Callable[[int], "TextEncoder"]:
        """Chooses the encoder for a number of new texts; that of the queries if they are few."""
        loaded: list[TextEncoder] = []

        def choose(count: int) -> "TextEncoder":
            if not loaded and count < MANY_TEXTS:
                return encoder
            if not loaded:
                loaded.append(self._loader(max(2, (os.cpu_count() or 1) - 1)))
            return loaded[0]

        return choose
