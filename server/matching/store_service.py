"""A stored catalog as a running service."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from embeddings.errors import StoreError
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.match_result import MatchResult
from server.errors import CallerError, brief
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.phrase_service import NotAtHandError, PhraseService
from server.matching.store_provider import StoreProvider

if TYPE_CHECKING:
    from embeddings.labels.label import Label
    from embeddings.matcher import Matcher
    from embeddings.ranking.explanation import Explanation


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
        whole = matcher if isinstance(matcher, Matcher) else matcher.whole()
        if whole is None:
            raise NotAtHandError(
                f"the catalog of {matcher.size:,} labels is in a store, of which each phrase reads a part; this needs "
                "all labels at once; serve the catalog's file with --catalog, or a vector file, to see it"
            )
        return whole

    def label(self, name: str) -> "Label":
        """The label with this name, ignoring case and punctuation, or with exactly this id.

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
    """A service for a store, which is not opened yet.

    Args:
        uri: see `embeddings.index.stores.uri.open_store`.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.
    """
    shared = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
    return StoreService(StoreProvider(uri, shared, costs), shared, max_phrase)
