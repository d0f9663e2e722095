"""A catalog file as a running service: reading it, and matching phrases against its labels."""

import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.errors import StoreError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.match_result import MatchResult
from embeddings.text.invisible import escaped
from embeddings.text.normalization import fold
from server.errors import CallerError, brief, nearest
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.matcher_provider import MatcherProvider
from server.matching.phrase_service import NotAtHandError, PhraseService
from server.matching.store_provider import StoreProvider

if TYPE_CHECKING:
    from embeddings.labels.label import Label
    from embeddings.matcher import Matcher
    from embeddings.ranking.explanation import Explanation


logger = logging.getLogger(__name__)

MAX_WARNINGS: Final = 20
"""Maximum warnings about one catalog that are logged; the others are counted."""

_SUGGESTED: Final = 3


class LabelService(PhraseService):
    """A catalog of labels with its matcher."""

    matchers: MatcherProvider

    def __init__(
        self, book: PhraseBook, matchers: MatcherProvider, loader: EncoderLoader, max_phrase: int | None = None
    ) -> None:
        """Use `open_labels` for a catalog file."""
        super().__init__(matchers, loader, max_phrase)
        self.book = book

    def take_from(self, old: PhraseService) -> None:
        """Embed only texts that the old catalog does not have."""
        if isinstance(old, LabelService):
            self.matchers.take_from(old.matchers)

    @property
    def size(self) -> dict[str, int]:
        """The number of labels."""
        return {"labels": len(self.book.labels)}

    def label(self, name: str) -> Label:
        """Return the label with this name, ignoring case and punctuation, or with exactly this id.

        Raises:
            CallerError: no label is called so, or several are.
        """
        spelled = name.strip()
        exact = [label for label in self.book.labels if spelled in (label.id, label.name)]
        found = exact or self._by_folded_name.get(fold(name), [])
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(repr(label.id) for label in found)
            raise CallerError(f"{brief(name)} is the name of several labels; their ids are {ids}; give one of the ids")
        near = nearest(name, (label.name for label in self.book.labels), _SUGGESTED)
        raise CallerError(
            f"unknown label {brief(name)}; the catalog has {len(self.book.labels)} labels, of which the nearest are "
            f"{', '.join(map(repr, near))}; call again with a label's name or id, such as match_capability answers"
        )

    @cached_property
    def _by_folded_name(self) -> Mapping[str, Sequence[Label]]:
        names: dict[str, list[Label]] = {}
        for label in self.book.labels:
            names.setdefault(fold(label.name), []).append(label)
        return names


def open_labels(
    path: Path,
    loader: EncoderLoader = load_encoder,
    max_phrase: int | None = None,
    costs: Costs = DEFAULT_COSTS,
) -> LabelService:
    """Return a service for a catalog file; its matcher is not loaded yet.

    Args:
        path: a catalog, or the tools of MCP servers; beside it there may be the vector file built from it.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.

    Raises:
        PhraseBookError: the file cannot be used.
    """
    book = read_catalog(path)
    shared = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
    return LabelService(book, MatcherProvider(book, [vectors_beside(path)], shared, costs), shared, max_phrase)


def vectors_beside(path: Path) -> Path:
    """Return where `build-vectors --catalog` writes the vectors of a catalog file."""
    return path.with_suffix(".npz")


def read_catalog(path: Path, *, pipe: bool = False) -> PhraseBook:
    """Return the catalog in a file, or the tools of MCP servers as labels; see `PhraseBook.from_json`.

    Raises:
        PhraseBookError: the file cannot be used.
    """
    book = PhraseBook.from_json(path, pipe=pipe)
    warnings = book.warnings
    for warning in warnings[:MAX_WARNINGS]:
        logger.warning("%s", escaped(f"{path}: {warning}"))
    if len(warnings) > MAX_WARNINGS:
        logger.warning("%s: %d more; PhraseBook.warnings has them all", path, len(warnings) - MAX_WARNINGS)
    return book


class StoreService(PhraseService):
    """A catalog of labels in a store, of which few are in memory."""

    matchers: StoreProvider

    @property
    def size(self) -> dict[str, int]:
        """The number of labels."""
        return {"labels": self.matchers.get().size}

    @property
    def whole_matcher(self) -> "Matcher":
        """The matcher of a vector file, or of a catalog that is small enough to be read as a whole.

        Raises:
            NotAtHandError: it is not.
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

    def label(self, name: str) -> "Label":
        """Return the label with this name, ignoring case and punctuation, or with exactly this id.

        Raises:
            CallerError: no label is called so, or several are, or the store cannot be used.
        """
        try:
            found = self.matchers.get().labels(name)
        except StoreError as error:
            raise CallerError(str(error)) from error
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(repr(label.id) for label in found)
            raise CallerError(f"{brief(name)} is the name of several labels; their ids are {ids}; give one of the ids")
        raise CallerError(
            f"unknown label {brief(name)}; the catalog has {self.matchers.get().size:,} labels; call again with a "
            "label's name or id, such as match_capability answers"
        )

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        """See `PhraseService.match`.

        Raises:
            CallerError: the phrase is blank or too long, or the store cannot be used.
        """
        try:
            return super().match(phrase, top)
        except StoreError as error:
            raise CallerError(str(error)) from error

    def explain(self, phrase: str, beside: Sequence[str] = ()) -> "tuple[MatchResult, Explanation]":
        """See `PhraseService.explain`; explained are the labels that the store proposes, and those beside.

        Raises:
            CallerError: the phrase is blank or too long, or the store cannot be used.
        """
        try:
            matcher = self.matchers.get()
            examined = matcher.examine(self._checked(phrase), explained=matcher.size, beside=beside)
        except StoreError as error:
            raise CallerError(str(error)) from error
        return self._noted(phrase, examined.result), examined.explanation


def open_stored_labels(
    uri: str,
    loader: EncoderLoader = load_encoder,
    max_phrase: int | None = None,
    costs: Costs = DEFAULT_COSTS,
) -> StoreService:
    """Return a service for a store, which is not opened yet.

    Args:
        uri: see `embeddings.engines.uri.open_store`.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.
    """
    shared = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
    return StoreService(StoreProvider(uri, shared, costs), shared, max_phrase)
