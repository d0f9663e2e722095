"""A catalog of labels as a running service that matches phrases; and the one that is current."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from embeddings.errors import StoreError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.match_result import MatchResult
from embeddings.ranking.pauses import pausable, pause
from embeddings.text.invisible import escaped
from server.errors import CallerError, brief, nearest
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.known_tools import with_known_examples
from server.matching.matcher_provider import MatcherProvider
from server.matching.store_provider import StoreProvider

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.ranking.answering import Examination
    from embeddings.ranking.explanation import Explanation
    from embeddings.store_matcher import StoreMatcher

logger = logging.getLogger(__name__)

LONGEST_PHRASE: Final = 10_000
"""Characters of a phrase that are read; the matcher reads them in windows of at most 256 tokens."""

MAX_WARNINGS: Final = 20
"""Maximum warnings about one catalog that are logged; the others are counted."""

_SUGGESTED: Final = 3


class Matchers(Protocol):
    """Hands out a catalog's matcher; see `MatcherProvider` and `StoreProvider`."""

    @property
    def book(self) -> PhraseBook | None:
        """The labels; None if they are in a store."""

    @property
    def costs(self) -> Costs:
        """Costs of mistakes to the caller."""

    @property
    def fingerprint(self) -> str:
        """Identifies what phrases are matched against."""

    @property
    def ready(self) -> bool:
        """Whether `get` returns at once."""

    @property
    def trouble(self) -> str | None:
        """Trouble with the store: "away", or "unusable"; None if there is none. May ask the store."""

    def start(self, delay: float = 0.0) -> None:
        """Load in the background, once."""

    def load(self) -> "Matcher | StoreMatcher":
        """Load now."""

    def get(self) -> "Matcher | StoreMatcher":
        """Return the best matcher so far."""


class NotAtHandError(CallerError):
    """The labels of a catalog are in a store, and too many to be read as a whole."""


class LabelService:
    """A catalog of labels, in memory or in a store, with its matcher."""

    matchers: Matchers

    def __init__(self, matchers: Matchers, loader: EncoderLoader, max_phrase: int | None = None) -> None:
        """Use `open_labels` for a catalog file, and `open_stored_labels` for a store.

        Args:
            matchers: provides the matcher.
            loader: loads the encoder.
            max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        """
        self.matchers = matchers
        self.loader = loader
        self.max_phrase = max_phrase

    @property
    def book(self) -> PhraseBook | None:
        """The labels; None if they are in a store, of which few are in memory."""
        return self.matchers.book

    @property
    def size(self) -> dict[str, int]:
        """How many there are of what phrases are matched against, by what it is."""
        return {"labels": self.matchers.get().size if self.book is None else len(self.book.labels)}

    def take_from(self, old: "LabelService") -> None:
        """Embed only texts that the service which this one replaces lacks; call it before the matcher is loaded."""
        if isinstance(self.matchers, MatcherProvider) and isinstance(old.matchers, MatcherProvider):
            self.matchers.take_from(old.matchers)

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        """Match a phrase.

        Args:
            phrase: one need in any wording.
            top: maximum number of matches (default: 3, or the one label whose name or alias the phrase is).

        Raises:
            CallerError: the phrase is blank or too long, or the store cannot be used.
        """
        checked = self._checked(phrase)
        try:
            matcher = self.matchers.get()
            with pausable():
                return self._noted(phrase, matcher.match(checked, top))
        except StoreError as error:
            raise CallerError(str(error)) from error

    def examine(
        self, phrase: str, top: int | None = None, *, everything: bool = False, beside: Sequence[str] = ()
    ) -> "Examination":
        """Match a phrase, and return what decided it, from one reading.

        Args:
            phrase: one need in any wording.
            top: as for `match`; the matches are the candidates that are explained.
            everything: explain all labels that the phrase could mean; of a store, those that it proposes.
            beside: names or ids of labels whose evidence is wanted in any case.

        Raises:
            CallerError: the phrase is blank or too long, or the store cannot be used.
        """
        checked = self._checked(phrase)
        try:
            matcher = self.matchers.get()
            with pausable():
                examined = matcher.examine(checked, top, matcher.size if everything else None, beside)
        except StoreError as error:
            raise CallerError(str(error)) from error
        return replace(examined, result=self._noted(phrase, examined.result))

    def explain(self, phrase: str, beside: Sequence[str] = ()) -> "tuple[MatchResult, Explanation]":
        """Match a phrase, and return the evidence for everything that it could mean; see `examine`."""
        examined = self.examine(phrase, everything=True, beside=beside)
        return examined.result, examined.explanation

    def label(self, name: str) -> Label:
        """Return the label with this name, ignoring case and punctuation, or with exactly this id.

        Raises:
            CallerError: no label is called so, or several are, or the store cannot be used.
        """
        try:
            matcher = self.matchers.get()
            found = matcher.labels(name)
        except StoreError as error:
            raise CallerError(str(error)) from error
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(repr(label.id) for label in found)
            raise CallerError(f"{brief(name)} is the name of several labels; their ids are {ids}; give one of the ids")
        near = nearest(name, (label.name for label in self.book.labels), _SUGGESTED) if self.book else ()
        which = f", of which the nearest are {', '.join(map(repr, near))}" if near else ""
        raise CallerError(
            f"unknown label {brief(name)}; the catalog has {matcher.size:,} labels{which}; call again with a label's "
            "name or id, such as match_capability answers"
        )

    @property
    def whole_matcher(self) -> "Matcher":
        """The matcher of a catalog that is in memory, or small enough to be read as a whole.

        Raises:
            NotAtHandError: it is in a store, and too large.
            StoreError: the store cannot be used.
        """
        from embeddings.matcher import Matcher

        matcher = self.matchers.get()
        whole = matcher if isinstance(matcher, Matcher) else Matcher.whole_of(matcher)
        if whole is None:
            raise NotAtHandError(
                f"the catalog of {matcher.size:,} labels is in a store, of which each phrase reads a part; this needs "
                "all labels at once; serve the catalog's file with --catalog, or a vector file, to see it"
            )
        return whole

    @staticmethod
    def _noted(phrase: str, result: MatchResult) -> MatchResult:
        """Return the result with the note that the end of a long phrase was not read."""
        if len(phrase) <= LONGEST_PHRASE or "truncated" in result.notes:
            return result
        return replace(result, notes=("truncated", *result.notes))

    def check_length(self, phrase: str) -> None:
        """Check a phrase against the length limit of this service, if it has one.

        Raises:
            CallerError: the phrase is longer.
        """
        if self.max_phrase is not None and len(phrase) > self.max_phrase:
            raise CallerError(
                f"the phrase has {len(phrase):,} characters; this server takes {self.max_phrase:,} at most; "
                "state one need in a sentence"
            )

    def check_windows(self, what: str, phrases: Sequence[str]) -> None:
        """Check the phrases of one call against the limit of what is embedded for it.

        Raises:
            CallerError: one of them is too long, or they come to more.
        """
        for phrase in phrases:
            self.check_length(phrase)
        read = [phrase[:LONGEST_PHRASE] for phrase in phrases]
        check_windows(what, read, MAX_WINDOWS, "state each need in a sentence, or ask for fewer in one call")

    def _checked(self, phrase: str) -> str:
        if not phrase.strip():
            raise CallerError(
                f"the phrase is blank ({brief(phrase)}); it must name or describe one need; "
                "say what is wanted, such as 'undo changes'"
            )
        self.check_length(phrase)
        return phrase[:LONGEST_PHRASE]


Kind = TypeVar("Kind", bound=LabelService)


class LiveService(Generic[Kind]):
    """Holds the current service. Each request reads it once, so one catalog answers the whole request."""

    def __init__(self, service: Kind) -> None:
        """Start with a service."""
        self.current = service

    @classmethod
    def of(cls, service: "Kind | LiveService[Kind]") -> "LiveService[Kind]":
        """Return the argument if it is a `LiveService`, else a new one that holds it."""
        return service if isinstance(service, LiveService) else cls(service)


def open_labels(
    path: Path,
    loader: EncoderLoader = load_encoder,
    max_phrase: int | None = None,
    costs: Costs = DEFAULT_COSTS,
    *,
    known_tools: bool = True,
) -> LabelService:
    """Return a service for a catalog file; its matcher is not loaded yet.

    Args:
        path: a catalog, or the tools of MCP servers; beside it there may be the vector file built from it.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.
        known_tools: as for `read_catalog`.

    Raises:
        PhraseBookError: the file cannot be used.
    """
    shared, book = SharedEncoder.of(loader), read_catalog(path, known_tools=known_tools)
    return LabelService(MatcherProvider(book, [vectors_beside(path)], shared, costs), shared, max_phrase)


def open_stored_labels(
    uri: str,
    loader: EncoderLoader = load_encoder,
    max_phrase: int | None = None,
    costs: Costs = DEFAULT_COSTS,
) -> LabelService:
    """Return a service for a store, which is not opened yet.

    Args:
        uri: see `embeddings.engines.uri.open_store`.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.
    """
    shared = SharedEncoder.of(loader)
    return LabelService(StoreProvider(uri, shared, costs), shared, max_phrase)


def vectors_beside(path: Path) -> Path:
    """Return where `build-vectors --catalog` writes the vectors of a catalog file."""
    return path.with_suffix(".npz")


def read_catalog(path: Path, *, pipe: bool = False, known_tools: bool = True) -> PhraseBook:
    """Return the catalog in a file, or the tools of MCP servers as labels; see `PhraseBook.from_json`.

    Args:
        path: the file.
        pipe: whether it may be one that can be read only once.
        known_tools: whether tools that are recognised get the examples that ship for them.

    Raises:
        PhraseBookError: the file cannot be used.
    """
    book = PhraseBook.from_json(path, pipe=pipe)
    warnings = book.warnings
    for warning in warnings[:MAX_WARNINGS]:
        logger.warning("%s", escaped(f"{path}: {warning}"))
    if len(warnings) > MAX_WARNINGS:
        logger.warning("%s: %d more; PhraseBook.warnings has them all", path, len(warnings) - MAX_WARNINGS)
    return with_known_examples(book) if known_tools else book


MAX_WINDOWS: Final = 320
"""Windows of 256 tokens that one call embeds at most, by the estimate of `embeddings.ranking.workload`. By it, twenty
needs of 400 ordinary characters come to 135, twenty of 1,000 to 256, and no single phrase to more than 142. At 0.04 s
for a full window (one core of a machine with other work), the heaviest call takes 13 s, in which other callers have
their turns; twenty needs of 10,000 characters of 256-token windows would take 26 s."""


def check_windows(what: str, phrases: Sequence[str], most: int, next_step: str) -> None:
    """Check that phrases come to at most so many windows; what is beyond the limit is not counted.

    Args:
        what: what messages call the phrases together.
        phrases: as much of each as is read.
        most: maximum windows.
        next_step: what the caller can do.

    Raises:
        CallerError: they come to more.
    """
    # Imported here because it needs numpy, which a server loads after it has listed its tools.
    from embeddings.ranking.workload import WINDOW, max_windows

    for number, windows in enumerate(max_windows(phrases), start=1):
        pause()
        if windows > most:
            raise CallerError(
                f"{what} can come to {windows:,} windows of {WINDOW} tokens with the first {number:,} of "
                f"{len(phrases):,} texts alone; at most {most:,} are read at once; {next_step}"
            )
