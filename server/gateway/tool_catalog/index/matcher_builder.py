"""Builds matchers of tools: embeds only what is new, and loads or updates what takes long to fit."""

import logging
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from embeddings.errors import VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import Costs
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader, SharedEncoder
from server.matching.matcher_provider import release_freed_memory

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.encoder.stored_encoder import StoredEncoder
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)

MANY_TEXTS: Final = 100
"""New texts from which on they are embedded by all cores but one; fewer take a fifth of a second."""


class MatcherBuilder:
    """Builds one matcher after the other. The counts may be read by any thread."""

    def __init__(self, loader: EncoderLoader, costs: Costs) -> None:
        """Build with the encoder that `loader` loads, and decide by `costs`."""
        self._loader = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
        self._costs = costs
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

    def build(self, book: PhraseBook, last: "Matcher | None") -> "Matcher":
        """The matcher of a book.

        Without examples, it is built from cached vectors in a fraction of a second. Fitting 500 tools to 8 examples
        each takes half a minute on two cores, so that such a matcher is cached as a whole, and updated in 6 seconds.

        Args:
            book: the tools.
            last: the matcher of much the same tools, if there is one.

        Raises:
            ModelError: there is no model.
        """
        encoder = self._loader(1)
        if not _has_examples(book):
            return self._embedded_with(encoder, book, None)
        try:
            return vector_cache.find(book, encoder, self._costs)
        except VectorFileError as error:
            logger.debug("vectors not used: %s", error)
        known = last is not None and not last.is_degraded and _has_examples(last.book)
        matcher = self._embedded_with(encoder, book, last if known else None)
        vector_cache.keep(matcher, book, encoder)
        return matcher

    def _embedded_with(self, encoder: "TextEncoder", book: PhraseBook, last: "Matcher | None") -> "Matcher":
        """Embed what is new of a book, and build its matcher, or update the last one."""
        from embeddings.encoder.stored_encoder import StoredEncoder
        from embeddings.matcher import Matcher
        from server.gateway.tool_catalog.index.text_cache import TextCache

        cache = TextCache(encoder)
        texts = StoredEncoder(encoder, cache, self._embedder(encoder))
        texts.expect([*(phrase.text for phrase in book.phrases()), *book.out_of_scope])
        self._texts = texts
        try:
            if last is None:
                matcher = Matcher.build(book, encoder, embedder=texts, costs=self._costs)
            else:
                matcher = last.update(book, embedder=texts)
            matcher.try_out()
        finally:
            # What was embedded counts and is kept, whatever happened after it.
            with self._counting:
                self._embedded, self._texts = self._embedded + texts.embedded, None
            cache.save()
            release_freed_memory()
        return matcher

    def _embedder(self, encoder: "TextEncoder") -> Callable[[int], "TextEncoder"]:
        """Chooses the encoder for a number of new texts; that of the queries if they are few."""
        loaded: list[TextEncoder] = []

        def choose(count: int) -> "TextEncoder":
            if not loaded and count < MANY_TEXTS:
                return encoder
            if not loaded:
                loaded.append(self._loader(max(2, (os.cpu_count() or 1) - 1)))
            return loaded[0]

        return choose


def _has_examples(book: PhraseBook) -> bool:
    return any(label.phrasings for label in book.labels)
