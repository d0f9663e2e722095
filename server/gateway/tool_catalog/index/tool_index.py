"""Finds tools by meaning: the matcher of the newest tools, brought up to date in the background."""

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from embeddings.errors import ModelError, VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.gateway.tool_catalog.exact_names import ExactNames
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.tool_book import tool_book
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.matcher_provider import release_freed_memory

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.encoder.stored_encoder import StoredEncoder
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)

BUILDER: Final = "tool-index"
"""Name of the thread that embeds."""

FEW_NEW: Final = 0.1
"""Share of new tools up to which the last matcher answers until the next is ready. With more, names and words of all
tools do; for 500 tools that takes a tenth of a second."""

MANY_TEXTS: Final = 100
"""New texts from which on they are embedded by all cores but one; fewer take a fifth of a second."""

Examples = Callable[[Sequence[GatewayTool]], Mapping[str, Sequence[str]]]
"""Gives phrasings by full name for some tools."""


def _none(_: Sequence[GatewayTool]) -> Mapping[str, Sequence[str]]:
    return {}


class ToolIndex:
    """The matcher of the newest tools. Safe to share between threads; only its own thread embeds texts of tools."""

    def __init__(
        self, loader: EncoderLoader = load_encoder, examples: Examples = _none, costs: Costs = DEFAULT_COSTS
    ) -> None:
        """An index without tools.

        Args:
            loader: loads the encoder.
            examples: how people ask for tools; called in the background.
            costs: what mistakes cost the caller.
        """
        self._loader = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
        self._examples = examples
        self._costs = costs
        self._changed = threading.Condition()
        self._wanted: tuple[GatewayTool, ...] = ()
        self._names = ExactNames(())
        self._built: tuple[GatewayTool, ...] = ()
        self._matcher: Matcher | None = None
        self._texts: StoredEncoder | None = None
        self._embedded = 0
        self._started = self._busy = self._closed = False

    def replace(self, tools: Sequence[GatewayTool]) -> None:
        """Take over the tools as they are now; returns at once."""
        names = ExactNames(tools)
        with self._changed:
            self._wanted, self._names = tuple(tools), names
            self._busy = True
            if not self._started:
                self._started = True
                threading.Thread(target=self._work, name=BUILDER, daemon=True).start()
            self._changed.notify_all()

    def exact(self, phrase: str) -> tuple[GatewayTool, ...]:
        """The newest tools that a phrase names exactly; see `ExactNames.find`."""
        return self._names.find(phrase)

    @property
    def tools(self) -> tuple[GatewayTool, ...]:
        """The newest tools. The matcher may still know others: look up its labels' ids among these."""
        return self._wanted

    @property
    def matcher(self) -> "Matcher | None":
        """The best matcher so far; None if there are no tools. Waits only for the first one, which is degraded."""
        if self._matcher is None:
            with self._changed:
                self._changed.wait_for(lambda: self._matcher is not None or not self._busy or self._closed)
        return self._matcher if self._wanted else None

    @property
    def degraded(self) -> bool:
        """Whether tools are found by names and words alone for now."""
        return self._matcher is None or self._matcher.is_degraded

    @property
    def pending(self) -> int:
        """Texts of tools that wait to be embedded."""
        texts = self._texts
        return texts.pending if texts else 0

    @property
    def embedded(self) -> int:
        """Texts embedded since the start; cached ones do not count."""
        with self._changed:
            return self._embedded + (self._texts.embedded if self._texts else 0)

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until the newest tools are indexed; False if that takes longer than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy or self._closed, timeout)

    def close(self) -> None:
        """End the thread after what it is doing."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._busy or self._closed)
                tools = self._wanted
            if self._closed:
                return
            try:
                self._update(tools)
            except Exception:
                logger.exception("tools could not be indexed; they are found by names and words alone")
                self._offer_degraded(tools)
            with self._changed:
                self._busy = tools is not self._wanted
                self._changed.notify_all()

    def _update(self, tools: tuple[GatewayTool, ...]) -> None:
        if not tools:
            self._offer(None, tools)
            return
        book = tool_book(tools, self._examples(tools))
        if not self._covers(tools):
            self._offer_degraded(tools, book)
        if self._matcher is None or self._matcher.is_degraded or self._matcher.book != book:
            try:
                self._offer(self._indexed(book, tools), tools)
            except ModelError as error:
                logger.warning("tools are found by names and words alone: %s", error)
                if self._built is not tools:
                    self._offer_degraded(tools, book)

    def _covers(self, tools: Sequence[GatewayTool]) -> bool:
        """Whether the matcher knows most of the tools."""
        if self._matcher is None:
            return False
        known = {tool.name for tool in self._built}
        return sum(tool.name not in known for tool in tools) <= FEW_NEW * len(tools)

    def _offer_degraded(self, tools: tuple[GatewayTool, ...], book: PhraseBook | None = None) -> None:
        from embeddings.matcher import Matcher

        self._offer(Matcher.degraded(book or tool_book(tools, {}), costs=self._costs), tools)

    def _offer(self, matcher: "Matcher | None", tools: tuple[GatewayTool, ...]) -> None:
        with self._changed:
            self._matcher, self._built = matcher, tools
            self._changed.notify_all()

    def _indexed(self, book: PhraseBook, tools: Sequence[GatewayTool]) -> "Matcher":
        """The matcher of a book. Fitting it to examples takes long, so that such a matcher is cached, too."""
        encoder = self._loader(1)
        if not _has_examples(book):
            return self._embedded_with(encoder, book, None)
        try:
            return vector_cache.find(book, encoder, self._costs)
        except VectorFileError as error:
            logger.debug("vectors not used: %s", error)
        last = self._matcher
        known = last is not None and not last.is_degraded and _has_examples(last.book) and self._covers(tools)
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
            with self._changed:
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
