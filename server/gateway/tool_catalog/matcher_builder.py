"""Builds matchers of tools in memory: embeds only what is new, and loads or updates what takes long to fit."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from embeddings.errors import StoreError, VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.gateway.tool_catalog.gateway_tool import Offered
from server.gateway.tool_catalog.tool_book import by_prebuilt_id
from server.gateway.tool_catalog.tool_texts import ToolTexts
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader, SharedEncoder
from server.toolset.tool_matcher import ToolsMatcher

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher

MAX_NEW_SHARE: Final = 0.2
"""Share of new tools up to which kept vectors are added to. With more, all is fitted anew, since whitening and weights
are those of the fewer tools. When 306 of 510 tools were fitted to, 9% of decisions were others than with all."""


class ToolsBuilder(Protocol):
    """Makes matchers of tools, one after the other, all in one thread. The counts may be read by any thread."""

    @property
    def pending(self) -> int:
        """Texts that wait to be embedded."""

    @property
    def embedded(self) -> int:
        """Texts embedded since the start; kept ones do not count."""

    @property
    def looks_every(self) -> float | None:
        """Seconds after which to ask again whether what is kept is `outdated`; None for never."""

    def build(self, tools: Sequence[Offered], book: PhraseBook, last: ToolsMatcher | None) -> ToolsMatcher:
        """Return the matcher of some tools.

        Args:
            tools: at least one.
            book: these tools as labels, in this order.
            last: the matcher of much the same tools, if there is one.

        Raises:
            ModelError: there is no model.
            StoreError: what is kept cannot be used.
        """

    def outdated(self) -> bool:
        """Return whether others changed what is kept, or it could not be used, so that it is to be built again."""

    def close(self) -> None:
        """Let go of connections."""


logger = logging.getLogger(__name__)


class MatcherBuilder:
    """Builds one matcher after the other; see `ToolsBuilder`."""

    looks_every: Final = None

    def __init__(self, loader: EncoderLoader, costs: Costs) -> None:
        """Build with the encoder that `loader` loads, and decide by `costs`."""
        self._loader = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
        self._costs = costs
        self._texts = ToolTexts(self._loader)
        self._added = 0
        """New texts since all was fitted, as far as this process knows."""

    @property
    def pending(self) -> int:
        """See `ToolsBuilder`."""
        return self._texts.pending

    @property
    def embedded(self) -> int:
        """See `ToolsBuilder`."""
        return self._texts.embedded

    def build(self, tools: Sequence[Offered], book: PhraseBook, last: ToolsMatcher | None) -> "Matcher":
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
            return vector_cache.find(book, encoder, costs_for(book, self._costs))
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
        """Embed what is new of a book, and build its matcher, or update the last one if little is new since a build."""
        from embeddings.matcher import Matcher

        self._added += _new_texts(last.book, book) if last else 0
        if last and self._added > MAX_NEW_SHARE * len(texts_of(book)):
            last = None
        if last is None:
            self._added = 0
        with self._texts.embedder(encoder, texts_of(book)) as texts:
            if last is None:
                matcher = Matcher.build(book, encoder, embedder=texts, costs=costs_for(book, self._costs))
            else:
                matcher = last.update(book, embedder=texts).with_costs(costs_for(book, self._costs))
            matcher.try_out()
        return matcher


def full(matcher: ToolsMatcher | None) -> "Matcher | None":
    """Return the matcher, if it is one in memory that has vectors."""
    from embeddings.matcher import Matcher

    return matcher if isinstance(matcher, Matcher) and not matcher.is_degraded else None


def has_examples(book: PhraseBook) -> bool:
    """Return whether a tool has examples."""
    return any(label.phrasings for label in book.labels)


def costs_for(book: PhraseBook, costs: Costs) -> Costs:
    """Return what mistakes cost: the default costs where tools have examples, which tell well what none serves."""
    return DEFAULT_COSTS if has_examples(book) else costs


def texts_of(book: PhraseBook) -> list[str]:
    """Return all texts of a book."""
    return [*(phrase.text for phrase in book.phrases()), *book.out_of_scope]


class FileBuilder(MatcherBuilder):
    """Builds matchers from a vector file, and keeps them there."""

    def __init__(self, path: Path, loader: EncoderLoader, costs: Costs) -> None:
        """Keep matchers in the file at `path`, which need not exist yet."""
        super().__init__(loader, costs)
        self._path = path

    def build(self, tools: Sequence[Offered], book: PhraseBook, last: ToolsMatcher | None) -> "Matcher":
        """See `ToolsBuilder`; what the file has is not embedded again, and examples that only it has stay."""
        encoder = self._loader(1)
        known = full(last) or self._kept(tools, encoder)
        if known:
            book = _with_examples(book, known.book, tools)
        if known and known.book == book:
            return known
        matcher = self.embedded_with(encoder, book, known)
        try:
            matcher.save(self._path)
        except OSError as error:
            logger.warning(
                "the vectors of tools could not be written to %s (%s); what is new is embedded again next time",
                self._path,
                error,
            )
        return matcher

    def _kept(self, tools: Sequence[Offered], encoder: "TextEncoder") -> "Matcher | None":
        """Return the matcher in the file; None if there is no file.

        Raises:
            StoreError: the file cannot be used, or is of another catalog.
        """
        from embeddings.matcher import Matcher

        if not self._path.exists():
            return None
        try:
            found = Matcher.load(self._path, encoder, costs=self._costs)
            found = found.with_costs(costs_for(found.book, self._costs))
        except VectorFileError as error:
            raise StoreError(f"{error}, or remove it: the gateway then writes it anew") from error
        ids = {label.id for label in found.book.labels}
        if ids.isdisjoint(by_prebuilt_id(tools)) and ids.isdisjoint(tool.name for tool in tools):
            raise StoreError(
                f"{str(self._path)!r} has the vectors of {len(ids):,} labels, none of them a tool of these servers; "
                "a gateway overwrites its file; name another file, or remove this one"
            )
        return found


def _with_examples(book: PhraseBook, kept: PhraseBook, tools: Sequence[Offered]) -> PhraseBook:
    """Add to the book the examples of tools that only the kept one has, and the phrases that no tool fits."""
    names = {key: tool.name for key, tool in by_prebuilt_id(tools).items()}
    known = {names.get(label.id, label.id): label for label in kept.labels}
    labels = tuple(
        replace(label, phrasings=found.phrasings, generated=found.generated)
        if (found := known.get(label.id)) and not label.phrasings
        else label
        for label in book.labels
    )
    return replace(book, labels=labels, out_of_scope=kept.out_of_scope, out_of_scope_share=kept.out_of_scope_share)


def _new_texts(kept: PhraseBook, wanted: PhraseBook) -> int:
    """Return how many texts of a book are not kept."""
    return len(set(texts_of(wanted)).difference(texts_of(kept)))
