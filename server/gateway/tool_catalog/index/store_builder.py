"""Keeps tools in a store, which gateways may share, and makes matchers over it.

A tool is a label under this gateway's own name for the tools of its servers, the tenant, so that gateways of other
servers do not see it. A tool that `build-vectors` has written to the store, and that says the same, is used as it is.
"""

import hashlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from embeddings.errors import StoreAwayError, StoreEmptyError, StoreError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import Costs
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.index.kept_names import prebuilt_id, says_the_same
from server.gateway.tool_catalog.index.stored_tools import StoredTools
from server.gateway.tool_catalog.index.tool_texts import ToolTexts
from server.gateway.tool_catalog.index.tools_builder import MOST_NEW
from server.matching.encoders import EncoderLoader, SharedEncoder
from server.toolset.tool_matcher import ToolsMatcher

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.index.stores.keyed_label import KeyedLabel
    from embeddings.index.stores.store import Store
    from embeddings.labels.label import Label
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)

LOOKS_EVERY: Final = 10.0
"""Seconds after which a gateway asks whether others changed the store, or whether it is back."""


def tenant_of(servers: Iterable[str]) -> str:
    """What the tools of gateways of these servers are kept under, in any order of the servers."""
    names = "\0".join(sorted(servers))
    return f"gateway-{hashlib.sha256(names.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


@dataclass(frozen=True)
class _Kept:
    """What a store has of some tools.

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

    def build(self, tools: Sequence[GatewayTool], book: PhraseBook, last: ToolsMatcher | None) -> StoredTools:
        """See `ToolsBuilder`."""
        from embeddings.index.stores.store import EVERYTHING, Filter
        from embeddings.index.stores.uri import open_store
        from embeddings.store_matcher import StoreMatcher

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
            store, encoder, costs=self._costs, where=where, among=frozenset(f"id:{each}" for each in kept.names)
        )
        matcher.try_out()
        self._revision = revision
        return StoredTools(matcher, kept.names, partial(_by_words, book, self._costs))

    def _brought_up_to_date(
        self, store: "Store", encoder: "TextEncoder", tools: Sequence[GatewayTool], book: PhraseBook
    ) -> _Kept:
        """Put what the store lacks, or build anew a store that has much less, and nothing of others."""
        from embeddings.index.stores.keyed_label import keyed_labels
        from embeddings.ranking.stored.upkeep import put_labels
        from embeddings.store_matcher import StoreMatcher

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
        if kept and (kept.foreign or self._put + len(kept.missing) <= MOST_NEW * len(tools)):
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
    def _kept(store: "Store", tools: Sequence[GatewayTool], wanted: "Sequence[KeyedLabel]", size: int) -> _Kept:
        from embeddings.ranking.stored.upkeep import stored_labels

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
