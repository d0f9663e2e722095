"""A catalog, of whatever kind, as a running service that matches phrases; and the one that is current."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from embeddings.ranking.decision import Costs
from embeddings.ranking.match_result import MatchResult
from server.errors import CallerError, brief
from server.matching.encoders import EncoderLoader

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.ranking.answering import Examination
    from embeddings.ranking.explanation import Explanation
    from embeddings.store_matcher import StoreMatcher

LONGEST_PHRASE = 10_000
"""Characters of a phrase that are read; the matcher reads them in windows of at most 256 tokens."""


class Matchers(Protocol):
    """Hands out a catalog's matcher; see `MatcherProvider` and `StoreProvider`."""

    @property
    def costs(self) -> Costs:
        """Costs of mistakes to the caller."""

    @property
    def fingerprint(self) -> str:
        """Identifies what phrases are matched against."""

    @property
    def ready(self) -> bool:
        """Whether `get` returns at once."""

    def start(self, delay: float = 0.0) -> None:
        """Load in the background, once."""

    def load(self) -> "Matcher | StoreMatcher":
        """Load now."""

    def get(self) -> "Matcher | StoreMatcher":
        """Return the best matcher so far."""


class NotAtHandError(CallerError):
    """The labels of a catalog are in a store, and too many to be read as a whole."""


class PhraseService(ABC):
    """A catalog's matcher."""

    matchers: Matchers

    def __init__(self, matchers: Matchers, loader: EncoderLoader, max_phrase: int | None = None) -> None:
        """Match with what `matchers` hands out.

        Args:
            matchers: provides the matcher.
            loader: loads the encoder.
            max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        """
        self.matchers = matchers
        self.loader = loader
        self.max_phrase = max_phrase

    @property
    @abstractmethod
    def size(self) -> dict[str, int]:
        """How many there are of what phrases are matched against, by what it is."""

    def take_from(self, old: "PhraseService") -> None:  # noqa: B027
        """Use what the service that this one replaces has already worked out; call it before the matcher is loaded."""

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        """Match a phrase.

        Args:
            phrase: one need in any wording.
            top: maximum number of matches (default: 3, or the one label whose name or alias the phrase is).

        Raises:
            CallerError: the phrase is blank or too long.
        """
        return self._noted(phrase, self.matchers.get().match(self._checked(phrase), top))

    def explain(self, phrase: str, beside: Sequence[str] = ()) -> "tuple[MatchResult, Explanation]":
        """Match a phrase, and return the evidence for everything that it could mean, from the same matcher.

        Args:
            phrase: one need in any wording.
            beside: names or ids of labels whose evidence is wanted in any case.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        del beside  # All labels are explained.
        matcher = self.matchers.get()
        examined = matcher.examine(self._checked(phrase), explained=matcher.size)
        return self._noted(phrase, examined.result), examined.explanation

    def examine(self, phrase: str, top: int | None = None) -> "Examination":
        """Match a phrase, and return what decided it, from one reading.

        Args:
            phrase: one need in any wording.
            top: as for `match`; the matches are the candidates that are explained.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        examined = self.matchers.get().examine(self._checked(phrase), top)
        return replace(examined, result=self._noted(phrase, examined.result))

    @property
    def whole_matcher(self) -> "Matcher":
        """The matcher of a catalog whose labels are all at hand.

        Raises:
            NotAtHandError: they are in a store, and too many.
            StoreError: the store cannot be used.
        """
        return cast("Matcher", self.matchers.get())

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

    def _checked(self, phrase: str) -> str:
        if not phrase.strip():
            raise CallerError(
                f"the phrase is blank ({brief(phrase)}); it must name or describe one need; "
                "say what is wanted, such as 'undo changes'"
            )
        self.check_length(phrase)
        return phrase[:LONGEST_PHRASE]


Kind = TypeVar("Kind", bound=PhraseService)


class LiveService(Generic[Kind]):
    """Holds the current service. Each request reads it once, so one catalog answers the whole request."""

    def __init__(self, service: Kind) -> None:
        """Start with a service."""
        self.current = service

    @classmethod
    def of(cls, service: "Kind | LiveService[Kind]") -> "LiveService[Kind]":
        """Return the argument if it is a `LiveService`, else a new one that holds it."""
        return service if isinstance(service, LiveService) else cls(service)
