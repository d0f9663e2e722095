"""Builds matchers of tools in memory: embeds only what is new, and loads or updates what takes long to fit."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from embeddings.errors import VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import Costs
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.index.tool_texts import ToolTexts
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader, SharedEncoder
from server.toolset.tool_matcher import ToolsMatcher

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)


class MatcherBuilder:
    """Builds one matcher after the other; see `ToolsBuilder`."""

    looks_every: Final = None

    def __init__(self, loader: EncoderLoader, costs: Costs) -> None:
        """Build with the encoder that `loader` loads, and decide by `costs`."""
        self._loader = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
        self._costs = costs
        self._texts = ToolTexts(self._loader)

    @property
    def pending(self) -> int:
        """See `ToolsBuilder`."""
        return self._texts.pending

    @property
    def embedded(self) -> int:
        """See `ToolsBuilder`."""
        return self._texts.embedded

    def build(self, tools: Sequence[GatewayTool], book: PhraseBook, last: ToolsMatcher | None) -> "Matcher":
        """See `ToolsBuilder`.

        Without examples, the matcher is built from cached vectors in a fraction of a second. Fitting 500 tools to 8
        examples each takes half a minute on two cores, so that such a matcher is cached as a whole, and updated in 6
        seconds.
        """
        del tools  # The book says all of them.
        encoder, known = self._loader(1), full(last)
        if known and known.book == book:
            return known
        if not has_examples(book):
            return self.embedded_with(encoder, book, None)
        try:
            return vector_cache.find(book, encoder, self._costs)
        except VectorFileError as error:
            logger.debug("vectors not used: %s", error)
        matcher = self.embedded_with(encoder, book, known if known and has_examples(known.book) else None)
        vector_cache.keep(matcher, book, encoder)
        return matcher

    def outdated(self) -> bool:
        """See `ToolsBuilder`; nobody else changes what is in memory."""
        return False

    def close(self) -> None:
        """See `ToolsBuilder`."""

    def embedded_with(self, encoder: "TextEncoder", book: PhraseBook, last: "Matcher | None") -> "Matcher":
        """Embed what is new of a book, and build its matcher, or update the last one."""
        from embeddings.matcher import Matcher

        with self._texts.embedder(encoder, texts_of(book)) as texts:
            if last is None:
                matcher = Matcher.build(book, encoder, embedder=texts, costs=self._costs)
            else:
                matcher = last.update(book, embedder=texts)
            matcher.try_out()
        return matcher


def full(matcher: ToolsMatcher | None) -> "Matcher | None":
    """The matcher, if it is one in memory that has vectors."""
    from embeddings.matcher import Matcher

    return matcher if isinstance(matcher, Matcher) and not matcher.is_degraded else None


def has_examples(book: PhraseBook) -> bool:
    """Whether a tool has examples."""
    return any(label.phrasings for label in book.labels)


def texts_of(book: PhraseBook) -> list[str]:
    """All texts of a book."""
    return [*(phrase.text for phrase in book.phrases()), *book.out_of_scope]
