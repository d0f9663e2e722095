"""What every interface to the agents' catalog shares: the catalog, and matching phrases against it."""

from collections.abc import Sequence
from pathlib import Path

from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.match_result import MatchResult
from embeddings.statements.statement import Relevant
from server.catalog.agent_names import AgentNames
from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.matcher_provider import VECTORS_FILE, MatcherProvider
from server.matching.phrase_service import PhraseService
from server.paths import shipped_data


class Service(PhraseService):
    """A catalog of agents with its matcher."""

    def __init__(
        self, catalog: Catalog, matchers: MatcherProvider, loader: EncoderLoader, max_phrase: int | None = None
    ) -> None:
        """Use `open_service` for a data folder."""
        super().__init__(matchers, loader, max_phrase)
        self.catalog = catalog
        self._agents = AgentNames(catalog.agents)

    def agent(self, value: str) -> str:
        """The id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits.
        """
        return self._agents.resolve(value)

    def relevant(self, result: MatchResult, agent: str, capability: str) -> "Sequence[Relevant]":
        """The statements of an entry that bear on a phrase, likeliest first; at most two."""
        return ()

    @property
    def size(self) -> dict[str, int]:
        """The number of capabilities."""
        return {"capabilities": len(self.catalog.capabilities)}


def open_service(
    folder: Path,
    loader: EncoderLoader = load_encoder,
    max_phrase: int | None = None,
    costs: Costs = DEFAULT_COSTS,
) -> Service:
    """A service for a data folder; its matcher is not loaded yet.

    Args:
        folder: as `load_catalog` reads it.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.

    Raises:
        CatalogError: the folder's files cannot be used.
    """
    catalog = load_catalog(folder)
    shared = loader if isinstance(loader, SharedEncoder) else SharedEncoder(loader)
    matchers = MatcherProvider(phrase_book(catalog), _vector_files(folder), shared, costs)
    return Service(catalog, matchers, shared, max_phrase)


def _vector_files(folder: Path) -> list[Path]:
    """The folder's own vector file, then the shipped one, which fits a folder that uses the shipped vocabulary."""
    return list(dict.fromkeys((folder / VECTORS_FILE, shipped_data() / VECTORS_FILE)))
