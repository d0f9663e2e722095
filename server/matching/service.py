"""What every interface shares: the catalog, and matching phrases against it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult
from server.catalog.agent_names import AgentNames
from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.errors import CallerError, brief
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.matcher_provider import VECTORS_FILE, MatcherProvider
from server.paths import shipped_data

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.ranking.explanation import Explanation

LONGEST_PHRASE = 10_000
"""Characters of a phrase that are read; the matcher reads them in windows of at most 256 tokens."""


class Service:
    """A catalog with its matcher."""

    def __init__(
        self, catalog: Catalog, matchers: MatcherProvider, loader: EncoderLoader, max_phrase: int | None = None
    ) -> None:
        """Use `open_service` for a data folder."""
        self.catalog = catalog
        self.matchers = matchers
        self.loader = loader
        self.max_phrase = max_phrase
        self._agents = AgentNames(catalog.agents)

    def agent(self, value: str) -> str:
        """The id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits.
        """
        return self._agents.resolve(value)

    def match(self, phrase: str, top: int = DEFAULT_TOP) -> MatchResult:
        """The capabilities that a phrase means.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        return self._matched(self.matchers.get(), phrase, top)

    def explain(self, phrase: str) -> "tuple[MatchResult, Explanation]":
        """What a phrase means, and the evidence for every capability, from the same matcher.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        matcher = self.matchers.get()
        result = self._matched(matcher, phrase, DEFAULT_TOP)
        return result, matcher.explain(result.query, len(self.catalog.capabilities))

    def _matched(self, matcher: "Matcher", phrase: str, top: int) -> MatchResult:
        result = matcher.match(self._checked(phrase), top)
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
                f"the capability phrase is blank ({brief(phrase)}); it must name or describe one capability; "
                "say what is wanted, such as 'undo changes'"
            )
        self.check_length(phrase)
        return phrase[:LONGEST_PHRASE]


class LiveService:
    """Holds the current service. Each request reads it once, so one catalog answers the whole request."""

    def __init__(self, service: Service) -> None:
        """Start with a service."""
        self.current = service

    @classmethod
    def of(cls, service: "Service | LiveService") -> "LiveService":
        """The argument if it is a `LiveService`, else a new one that holds it."""
        return service if isinstance(service, LiveService) else cls(service)


def open_service(folder: Path, loader: EncoderLoader = load_encoder, max_phrase: int | None = None) -> Service:
    """A service for a data folder; its matcher is not loaded yet.

    Args:
        folder: as `load_catalog` reads it.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.

    Raises:
        CatalogError: the folder's files cannot be used.
    """
    catalog = load_catalog(folder)
    shared = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
    return Service(catalog, MatcherProvider(phrase_book(catalog), _vector_files(folder), shared), shared, max_phrase)


def _vector_files(folder: Path) -> list[Path]:
    """The folder's own vector file, then the shipped one, which fits a folder that uses the shipped vocabulary."""
    return list(dict.fromkeys((folder / VECTORS_FILE, shipped_data() / VECTORS_FILE)))
