"""Builds matchers of tools that are kept in a vector file."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.errors import StoreError, VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import Costs
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.index.matcher_builder import MAX_NEW_SHARE, MatcherBuilder, full, texts_of
from server.gateway.tool_catalog.tool_book import by_prebuilt_id
from server.matching.encoders import EncoderLoader
from server.toolset.tool_matcher import ToolsMatcher

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)


class FileBuilder(MatcherBuilder):
    """Builds matchers from a vector file, and keeps them there."""

    def __init__(self, path: Path, loader: EncoderLoader, costs: Costs) -> None:
        """Keep matchers in the file at `path`, which need not exist yet."""
        super().__init__(loader, costs)
        self._path = path
        self._added = 0
        """New texts since all was fitted, as far as this process knows."""

    def build(self, tools: Sequence[GatewayTool], book: PhraseBook, last: ToolsMatcher | None) -> "Matcher":
        """See `ToolsBuilder`; what the file has is not embedded again, and examples that only it has stay."""
        encoder = self._loader(1)
        known = full(last) or self._kept(tools, encoder)
        if known:
            book = _with_examples(book, known.book, tools)
        if known and known.book == book:
            return known
        self._added += _new_texts(known.book, book) if known else 0
        if known and self._added > MAX_NEW_SHARE * len(texts_of(book)):
            known, self._added = None, 0
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

    def _kept(self, tools: Sequence[GatewayTool], encoder: "TextEncoder") -> "Matcher | None":
        """Return the matcher in the file; None if there is no file.

        Raises:
            StoreError: the file cannot be used, or is of another catalog.
        """
        from embeddings.matcher import Matcher

        if not self._path.exists():
            return None
        try:
            found = Matcher.load(self._path, encoder, costs=self._costs)
        except VectorFileError as error:
            raise StoreError(f"{error}, or remove it: the gateway then writes it anew") from error
        ids = {label.id for label in found.book.labels}
        if ids.isdisjoint(by_prebuilt_id(tools)) and ids.isdisjoint(tool.name for tool in tools):
            raise StoreError(
                f"{str(self._path)!r} has the vectors of {len(ids):,} labels, none of them a tool of these servers; "
                "a gateway overwrites its file; name another file, or remove this one"
            )
        return found


def _with_examples(book: PhraseBook, kept: PhraseBook, tools: Sequence[GatewayTool]) -> PhraseBook:
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
