"""What every way in shares: the catalog, and phrases understood by it."""

from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.match_result import DEFAULT_TOP, MatchResult
from server.agent_ids import resolve_agent
from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.errors import CallerError, brief
from server.matcher_provider import VECTORS_FILE, EncoderLoader, MatcherProvider, SharedEncoder, load_encoder
from server.paths import shipped_data

if TYPE_CHECKING:
    from embeddings.explanation import Explanation

LONGEST_PHRASE = 10_000
"""Characters of a phrase that are read; the encoder reads 256 tokens, about 1,200 characters, of them."""


class Service:
    """A catalog with its matcher."""

    def __init__(
        self, catalog: Catalog, matchers: MatcherProvider, loader: EncoderLoader, most_phrase: int | None = None
    ) -> None:
        """Use `open_service` for a data folder."""
        self.catalog = catalog
        self.matchers = matchers
        self.loader = loader
        self.most_phrase = most_phrase

    def agent(self, value: str) -> str:
        """The id of the agent that is meant.

        Raises:
            CallerError: it cannot be placed.
        """
        return resolve_agent(value, self.catalog.agents)

    def match(self, phrase: str, top: int = DEFAULT_TOP) -> MatchResult:
        """The capabilities that a phrase means.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        return self.matchers.get().match(self._checked(phrase), top)

    def explain(self, phrase: str) -> "tuple[MatchResult, Explanation]":
        """What a phrase means, and the case of every capability, by one and the same matcher.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        matcher, checked = self.matchers.get(), self._checked(phrase)
        return matcher.match(checked, DEFAULT_TOP), matcher.explain(checked, len(self.catalog.capabilities))

    def check_length(self, phrase: str) -> None:
        """Hold a phrase to the limit of this service, where it has one.

        Raises:
            CallerError: the phrase is longer.
        """
        if self.most_phrase is not None and len(phrase) > self.most_phrase:
            raise CallerError(
                f"the phrase has {len(phrase):,} characters; this server takes {self.most_phrase:,} at most; "
                "say the one need in a sentence"
            )

    def _checked(self, phrase: str) -> str:
        if not phrase.strip():
            raise CallerError(
                f"the capability phrase is blank ({brief(phrase)}); it must name or describe one capability; "
                "say what is wanted, such as 'undo changes'"
            )
        self.check_length(phrase)
        return phrase[:LONGEST_PHRASE]


def open_service(folder: Path, loader: EncoderLoader = load_encoder, most_phrase: int | None = None) -> Service:
    """A service for a data folder; its matcher is not loaded yet.

    Args:
        folder: as `load_catalog` reads it.
        loader: loads the encoder.
        most_phrase: characters of a phrase; a longer one is refused. None: it is understood by its beginning.

    Raises:
        CatalogError: the folder's files cannot be used.
    """
    catalog = load_catalog(folder)
    shared = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
    return Service(catalog, MatcherProvider(phrase_book(catalog), _vector_files(folder), shared), shared, most_phrase)


def _vector_files(folder: Path) -> list[Path]:
    """The folder's own file, and the shipped one for a folder that is understood by the shipped vocabulary."""
    return list(dict.fromkeys((folder / VECTORS_FILE, shipped_data() / VECTORS_FILE)))
