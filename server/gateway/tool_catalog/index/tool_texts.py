"""Embeds texts of tools, each once: vectors are kept in the user's cache folder."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from server.matching.encoders import EncoderLoader
from server.matching.matcher_provider import release_freed_memory

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.encoder.stored_encoder import StoredEncoder

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
        """What embeds some texts, as `encoder` would; used by one thread at a time.

        Args:
            encoder: embeds queries, and few texts.
            expected: the texts, as far as they are known.
        """
        from embeddings.encoder.stored_encoder import StoredEncoder
        from server.gateway.tool_catalog.index.text_cache import TextCache

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
