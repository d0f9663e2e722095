"""Keeps tools in a store, which gateways may share, and makes matchers over it.

A tool is a label under this gateway's own name for the tools of its servers, the tenant, so that gateways of other
servers do not see it. A tool that `build-vectors` has written to the store, and that says the same, is used as it is.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from embeddings.errors import StoreAwayError, StoreEmptyError, StoreError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import Costs
from server.gateway.tool_catalog.gateway_tool import Offered
from server.gateway.tool_catalog.matcher_builder import MAX_NEW_SHARE, costs_for
from server.gateway.tool_catalog.tool_book import prebuilt_id, says_the_same
from server.gateway.tool_catalog.tool_texts import ToolTexts
from server.matching.encoders import EncoderLoader, SharedEncoder
from server.matching.store_provider import trouble_of
from server.toolset.tool_matcher import ToolsMatcher

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.labels.label import Label
    from embeddings.matcher import Matcher
    from embeddings.ranking.match_result import MatchResult
    from embeddings.store_matcher import StoreMatcher
    from embeddings.stores.record import KeyedLabel
    from embeddings.stores.store import Store


logger = logging.getLogger(__name__)

DEGRADED_FOR: Final = 5.0
"""Seconds for which the store is not asked again after it failed."""


class StoredTools:
    """The tools of one gateway in a store; see `ToolsMatcher`."""

    def __init__(self, matcher: "StoreMatcher", names: Mapping[str, str], by_words: Callable[[], "Matcher"]) -> None:
        """Match with a store.

        Args:
            matcher: over the store; the only labels that count are these tools.
            names: the tools' full names by the ids of their labels.
            by_words: makes a matcher of the same tools without vectors.
        """
        self._matcher, self._names, self._by_words = matcher, names, by_words
        self._failed = 0.0
        self._failure: StoreError | None = None

    @cached_property
    def words(self) -> "Matcher":
        """Finds the tools by their names and words."""
        return self._by_words()

    @property
    def size(self) -> int:
        """See `ToolsMatcher`."""
        return len(self._names)

    @property
    def is_degraded(self) -> bool:
        """See `ToolsMatcher`."""
        return self.trouble is not None

    @property
    def trouble(self) -> str | None:
        """Trouble with the store: "away", or "unusable"; None if there is none. May ask the store."""
        if self._failure and time.monotonic() - self._failed < DEGRADED_FOR:
            return trouble_of(self._failure)
        try:
            return "away" if self._matcher.is_degraded else None
        except StoreError as error:
            self._note(error)
            return trouble_of(error)

    def match(self, phrase: str, top: int | None = None) -> "MatchResult":
        """See `ToolsMatcher`."""
        if self.is_degraded:
            return self.words.match(phrase, top)
        try:
            found = self._matcher.match(phrase, top)
        except StoreError as error:
            self._note(error)
            return self.words.match(phrase, top)
        if found.degraded:  # The store went away just now; by words all tools are found, not only those at hand.
            return self.words.match(phrase, top)
        known = [match for match in found.matches if match.id in self._names]
        return replace(found, matches=tuple(replace(match, id=self._names[match.id]) for match in known))

    def _note(self, error: StoreError) -> None:
        logger.warning("tools are found by names and words alone: %s", error)
        self._failed, self._failure = time.monotonic(), error


LOOKS_EVERY: Final = 10.0
"""Seconds after which a gateway asks whether others changed the store, or whether it is back."""


def tenant_of(servers: Iterable[str]) -> str:
    """Return the key under which the tools of gateways of these servers are kept, in any order of the servers."""
    names = "\0".join(sorted(servers))
    return f"gateway-{hashlib.sha256(names.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


@dataclass(frozen=True)
class _Kept:
    """The records of some tools that a store has.

    Attributes:
        names: the tools' full names by the ids of the labels that are used.
        missing: labels to be put, since the store lacks them or says something else.
        foreign: whether the store has other labels, too, or some that `build-vectors` wrote.
        prebuilt: whether labels that `build-vectors` wrote are used.
    """

    names: dict[str, str]
    missing: "list[KeyedLabel]"
    foreign: bool
    prebuilt: bool


class StoreBuilder:
    """Makes matchers over one store; see `ToolsBuilder`."""

    looks_every: Final = LOOKS_EVERY

    def __init__(self, uri: str, tenant: str, loader: EncoderLoader, costs: Costs) -> None:
        """Keep tools in the store at a URI, under the name `tenant`."""
        self._uri, self._tenant, self._costs = uri, tenant, costs
        self._loader = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
        self._texts = ToolTexts(self._loader)
        self._store: Store | None = None
        self._revision = ""
        self._put = 0
        """Labels put since the store was built, as far as this process knows."""

    @property
    def pending(self) -> int:
        """See `ToolsBuilder`."""
        return self._texts.pending

    @property
    def embedded(self) -> int:
        """See `ToolsBuilder`."""
        return self._texts.embedded

    def build(self, tools: Sequence[Offered], book: PhraseBook, last: ToolsMatcher | None) -> StoredTools:
        """See `ToolsBuilder`."""
        from embeddings.engines.uri import open_store
        from embeddings.store_matcher import StoreMatcher
        from embeddings.stores.store import EVERYTHING, Filter

        del last  # What is kept says what is new.
        self._revision = ""  # Until all is well.
        encoder = self._loader(1)
        if self._store is None:
            self._store = open_store(self._uri)
        store = self._store
        kept = self._brought_up_to_date(store, encoder, tools, book)
        where = EVERYTHING if kept.prebuilt else Filter(tenant=self._tenant)
        revision = store.revision()
        matcher = StoreMatcher(
            store,
            encoder,
            costs=costs_for(book, self._costs),
            where=where,
            among=frozenset(f"id:{each}" for each in kept.names),
        )
        matcher.try_out()
        self._revision = revision
        return StoredTools(matcher, kept.names, partial(_by_words, book, self._costs))

    def _brought_up_to_date(
        self, store: "Store", encoder: "TextEncoder", tools: Sequence[Offered], book: PhraseBook
    ) -> _Kept:
        """Put what the store lacks, or build anew a store that has much less, and nothing of others."""
        from embeddings.ranking.store_changes import put_labels
        from embeddings.store_matcher import StoreMatcher
        from embeddings.stores.record import keyed_labels

        labels = [
            replace(label, id=f"{self._tenant}/{tool.name}", metadata={"tenant": self._tenant})
            for tool, label in zip(tools, book.labels, strict=True)
        ]
        own = replace(book, labels=tuple(labels))
        try:
            size = StoreMatcher(store, encoder).size  # Which checks that it was made with this model.
            kept = self._kept(store, tools, keyed_labels(own), size)
        except StoreEmptyError:
            kept = None
        if kept and not kept.missing:
            return kept
        if kept and (kept.foreign or self._put + len(kept.missing) <= MAX_NEW_SHARE * len(tools)):
            expected = [text for label in kept.missing for text, _ in label.phrases]
            with self._texts.embedder(encoder, expected) as texts:
                put_labels(store, texts, kept.missing)
            self._put += len(kept.missing)
            return kept
        with self._texts.embedder(encoder, [phrase.text for phrase in own.phrases()]) as texts:
            StoreMatcher.build(own, texts, store)
        self._put = 0
        names = {label.id: tool.name for tool, label in zip(tools, labels, strict=True)}
        return _Kept(names, [], foreign=False, prebuilt=False)

    @staticmethod
    def _kept(store: "Store", tools: Sequence[Offered], wanted: "Sequence[KeyedLabel]", size: int) -> _Kept:
        from embeddings.ranking.store_changes import stored_labels

        prebuilt = [f"id:{prebuilt_id(tool)}" for tool in tools]
        found = stored_labels(store, [*dict.fromkeys(prebuilt), *(each.key for each in wanted)])
        names: dict[str, str] = {}
        missing: list[KeyedLabel] = []
        for tool, key, each in zip(tools, prebuilt, wanted, strict=True):
            as_built = _if_the_same(found.get(key), each.label, examples=bool(each.label.phrasings))
            used = as_built or _if_the_same(found.get(each.key), each.label, examples=True)
            names[(used or each.label).id] = tool.name
            if used is None:
                missing.append(each)
        built = not found.keys().isdisjoint(prebuilt)
        ids = {f"id:{name}" for name in names}
        return _Kept(names, missing, built or size > len(found), not ids.isdisjoint(prebuilt))

    def outdated(self) -> bool:
        """See `ToolsBuilder`."""
        if not self._revision or self._store is None:
            return True
        try:
            return self._store.revision() != self._revision
        except StoreAwayError:
            return False
        except StoreError:
            return True

    def close(self) -> None:
        """See `ToolsBuilder`."""
        if self._store:
            self._store.close()


def _if_the_same(kept: "Label | None", wanted: "Label", *, examples: bool) -> "Label | None":
    return kept if kept and says_the_same(kept, wanted, examples=examples) else None


def _by_words(book: PhraseBook, costs: Costs) -> "Matcher":
    from embeddings.matcher import Matcher

    # Without examples, because calibrating with those of 500 tools takes a second.
    labels = tuple(replace(label, phrasings=(), generated=frozenset()) for label in book.labels)
    return Matcher.degraded(replace(book, labels=labels), costs=costs)
