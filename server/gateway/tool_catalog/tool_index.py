"""Finds tools by name and by meaning: the newest tools, whose matcher is brought up to date in the background."""

import logging
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic

from typing_extensions import TypeVar

from embeddings.engines.uri import is_vector_file
from embeddings.errors import ModelError, StoreError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import NAMED_COSTS, Costs
from embeddings.text.normalization import fold
from server.gateway.tool_catalog.gateway_tool import GatewayTool, Offered
from server.gateway.tool_catalog.matcher_builder import FileBuilder, MatcherBuilder, ToolsBuilder
from server.gateway.tool_catalog.store_builder import StoreBuilder, StoredTools, tenant_of
from server.gateway.tool_catalog.tool_book import tool_book
from server.matching.encoders import EncoderLoader, load_encoder
from server.matching.store_provider import trouble_of
from server.toolset.tool_matcher import ToolsMatcher

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.matcher import Matcher


OFFER: Final = NAMED_COSTS["offer"]
"""Costs of a gateway: a caller picks among the tools that are offered, and looks no further if none is."""


def tools_builder(
    store: str | None, servers: Iterable[str], loader: EncoderLoader, costs: Costs = OFFER
) -> ToolsBuilder:
    """Return the builder of a matcher over some servers' tools.

    Args:
        store: URI of the store, or name of the vector file, in which tools are kept; None for memory.
        servers: their names.
        loader: loads the encoder.
        costs: what mistakes cost the caller.
    """
    if store is None:
        return MatcherBuilder(loader, costs)
    if is_vector_file(store):
        return FileBuilder(Path(store), loader, costs)
    return StoreBuilder(store, tenant_of(servers), loader, costs)


logger = logging.getLogger(__name__)

BUILDER: Final = "tool-index"
"""Name of the thread that embeds."""

FEW_NEW: Final = 0.1
"""Share of new tools up to which the last matcher answers until the next is ready. With more, names and words of all
tools do; for 500 tools that takes a tenth of a second."""


Item = TypeVar("Item", bound=Offered, default=GatewayTool)
Examples = Callable[[Sequence[Item]], Mapping[str, Sequence[str]]]
"""Gives phrasings by full name."""


def _none(_: Sequence[Any]) -> Mapping[str, Sequence[str]]:
    return {}


LONGEST_READ: Final = 4_000
"""Characters of a phrase that are searched for names."""

_QUOTED: Final = re.compile(r"""`([^`]+)`|"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<!\w)['‘]([^'’]+)['’](?!\w)""")
_RUN: Final = re.compile(r"""[^\s`"'“”‘’«»(),;!?<>\[\]{}]+""")
_NOT_A_WORD: Final = re.compile(r"[_-]|[a-z0-9][A-Z]")
"""Characters that an ordinary word does not have: `_`, `-`, or a capital inside."""


class ExactNames(Generic[Item]):
    """The names of some tools, bare and full."""

    def __init__(self, tools: Sequence[Item]) -> None:
        """Look up names of `tools`."""
        self._full = {tool.name: (tool,) for tool in tools}
        bare: dict[str, list[Item]] = defaultdict(list)
        folded: dict[str, list[Item]] = defaultdict(list)
        for tool in tools:
            bare[tool.own_name.strip()].append(tool)
            for text in dict.fromkeys((fold(tool.name), fold(f"{tool.server} {tool.own_name}"))):
                folded[text].append(tool)
        self._bare, self._folded = _frozen(bare), _frozen(folded)

    def find(self, phrase: str) -> tuple[Item, ...]:
        """Return the tools that a phrase names; several if servers share the name, none if it names no tool.

        The whole phrase may be a name, or server and tool in other writing ("github create issue"). Within a sentence,
        a name counts if it is quoted, or if it could not be an ordinary word. A full name goes before a bare one, so
        that no server can take the full name of another's tool.
        """
        spelled = phrase.strip()[:LONGEST_READ]
        whole = self._named(spelled) or self._named(spelled.strip("`\"'“”‘’«»")) or self._folded.get(fold(spelled))
        if whole:
            return whole
        found: dict[str, Item] = {}
        for text in _mentions(spelled):
            found |= {tool.name: tool for tool in self._named(text)}
        return tuple(found.values())

    def _named(self, text: str) -> tuple[Item, ...]:
        return self._full.get(text) or self._bare.get(text) or ()


def _mentions(phrase: str) -> Iterator[str]:
    """Parts of a sentence that can only be meant as names, in order."""
    for quoted in _QUOTED.finditer(phrase):
        yield next(text for text in quoted.groups() if text is not None).strip()
    for run in _RUN.findall(phrase):
        for text in dict.fromkeys((run, run.strip(".:*"))):
            if _NOT_A_WORD.search(text):
                yield text


def _frozen(found: Mapping[str, list[Item]]) -> dict[str, tuple[Item, ...]]:
    return {text: tuple(tools) for text, tools in found.items() if text}


class ToolIndex(Generic[Item]):
    """The matcher of the newest tools, or skills. Safe to share between threads; only its own thread embeds texts."""

    def __init__(
        self,
        loader: EncoderLoader = load_encoder,
        examples: Examples[Item] = _none,
        costs: Costs = OFFER,
        *,
        builder: ToolsBuilder | None = None,
        book: Callable[[Sequence[Any], Mapping[str, Sequence[str]]], PhraseBook] = tool_book,
        waits: bool = False,
    ) -> None:
        """An index without tools.

        Args:
            loader: loads the encoder.
            examples: how people ask for tools; called in the background.
            costs: what mistakes cost the caller.
            builder: makes the matchers (default: in memory).
            book: makes labels of tools and their examples.
            waits: do nothing in the background before `begin`, or before the matcher is needed.
        """
        self._builder = builder or MatcherBuilder(loader, costs)
        self._examples, self._book = examples, book
        self._costs = costs
        self._changed = threading.Condition()
        self._making_stopgap = threading.Lock()
        self._wanted: tuple[Item, ...] = ()
        self._names: ExactNames[Item] = ExactNames(())
        self._built: tuple[Item, ...] = ()
        self._matcher: ToolsMatcher | None = None
        self._stopgap: tuple[tuple[Item, ...], Matcher | None] = ((), None)
        self._thread: threading.Thread | None = None
        self._busy = self._closed = False
        self._waits = waits
        self._failure: Exception | None = None

    def replace(self, tools: Sequence[Item]) -> None:
        """Take over the tools as they are now; returns at once."""
        names = ExactNames(tools)
        with self._changed:
            self._wanted, self._names = tuple(tools), names
            self._busy = True
            if not self._waits:
                self._work_in_background()
            self._changed.notify_all()

    def begin(self) -> None:
        """Index what there is, and from now on every change at once."""
        with self._changed:
            self._waits = False
            if self._busy:
                self._work_in_background()

    def _work_in_background(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=BUILDER, daemon=True)
            self._thread.start()

    def exact(self, phrase: str) -> tuple[Item, ...]:
        """Return the newest tools that a phrase names exactly; see `ExactNames.find`."""
        return self._names.find(phrase)

    @property
    def tools(self) -> tuple[Item, ...]:
        """The newest tools. The matcher may still know others: look up its labels' ids among these."""
        return self._wanted

    @property
    def matcher(self) -> ToolsMatcher | None:
        """The best matcher so far; None if there are no tools. Waits only for the first one, which is degraded.

        While a large part of the tools is not indexed yet, it finds all of them by names and words.
        """
        if self._matcher is None:
            self.begin()
            with self._changed:
                self._changed.wait_for(lambda: self._matcher is not None or not self._busy or self._closed)
        with self._changed:
            wanted, built, best = self._wanted, self._built, self._matcher
        if not wanted or best is None or built is wanted or self._covers(wanted):
            return best if wanted else None
        return self._meanwhile(wanted)

    def _meanwhile(self, wanted: tuple[Item, ...]) -> "Matcher":
        """Return a degraded matcher of tools that wait to be indexed, made once, whoever needs it first."""
        with self._making_stopgap:
            tools, matcher = self._stopgap
            if tools is not wanted or matcher is None:
                # Without examples, because calibrating with those of 500 tools takes a second.
                matcher = _by_words(self._book(wanted, {}), self._costs)
                self._stopgap = wanted, matcher
            return matcher

    @property
    def degraded(self) -> bool:
        """Whether tools are found by names and words alone for now."""
        if self._matcher is None:
            return True
        matcher = self.matcher
        return matcher is None or matcher.is_degraded

    @property
    def trouble(self) -> str | None:
        """Trouble with the store: "away", or "unusable"; None if there is none, or no store."""
        if isinstance(self._failure, StoreError):
            return trouble_of(self._failure)
        matcher = self._matcher
        return matcher.trouble if isinstance(matcher, StoredTools) else None

    @property
    def pending(self) -> int:
        """Texts of tools that wait to be embedded."""
        return self._builder.pending

    @property
    def embedded(self) -> int:
        """Texts embedded since the start; cached ones do not count."""
        return self._builder.embedded

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until the newest tools are indexed; False if that takes longer than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy or self._closed, timeout)

    def close(self, timeout: float | None = 0.0) -> None:
        """End the thread after what it is doing; waits for that up to `timeout` seconds."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread:
            self._thread.join(timeout)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._busy or self._closed, self._builder.looks_every)
                tools = self._wanted
            if self._closed:
                self._builder.close()
                return
            if not self._busy and not (tools and self._builder.outdated()):
                continue
            try:
                self._update(tools)
            except Exception:
                logger.exception("tools could not be indexed; they are found by names and words alone")
                self._offer_degraded(tools)
            with self._changed:
                self._busy = tools is not self._wanted
                self._changed.notify_all()

    def _update(self, tools: tuple[Item, ...]) -> None:
        if not tools:
            self._offer(None, tools)
            return
        book = self._book(tools, self._examples(tools))
        last = self._matcher if self._covers(tools) else None
        if last is None:
            self._offer_degraded(tools)
        try:
            self._offer(self._builder.build(tools, book, last), tools)
            self._failure = None
        except (ModelError, StoreError) as error:
            self._report(error)
            if self._built is not tools:
                self._offer_degraded(tools)

    def _report(self, error: Exception) -> None:
        """Log a failure; the same one again, of a store that is asked again and again, is not news."""
        level = logging.DEBUG if str(error) == str(self._failure) else logging.WARNING
        self._failure = error
        logger.log(level, "tools are found by names and words alone: %s", error)

    def _covers(self, tools: Sequence[Item]) -> bool:
        """Return whether the matcher knows most of the tools, and some of each server's."""
        if self._matcher is None or not {tool.server for tool in tools} <= {tool.server for tool in self._built}:
            return False
        known = {tool.name for tool in self._built}
        return sum(tool.name not in known for tool in tools) <= FEW_NEW * len(tools)

    def _offer_degraded(self, tools: tuple[Item, ...]) -> None:
        self._offer(self._meanwhile(tools), tools)

    def _offer(self, matcher: ToolsMatcher | None, tools: tuple[Item, ...]) -> None:
        with self._changed:
            self._matcher, self._built = matcher, tools
            self._changed.notify_all()


def _by_words(book: PhraseBook, costs: Costs) -> "Matcher":
    from embeddings.matcher import Matcher

    return Matcher.degraded(book, costs=costs)
