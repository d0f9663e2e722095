"""The service behind every interface to the agents' catalog: the catalog, and matching phrases against it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.match_result import MatchResult
from embeddings.ranking.pauses import pausable
from server.catalog.catalog import Catalog, phrase_book
from server.catalog.loading import load_catalog
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.label_service import LabelService
from server.matching.matcher_provider import VECTORS_FILE, MatcherProvider
from server.matching.statement_source import STATEMENTS_FILE, StatementSource
from server.paths import shipped_data

if TYPE_CHECKING:
    from embeddings.statements.relevance import StatementReader
    from embeddings.statements.statement import Relevant


class Service(LabelService):
    """A catalog of agents with its matcher."""

    matchers: MatcherProvider

    def __init__(
        self,
        catalog: Catalog,
        matchers: MatcherProvider,
        loader: EncoderLoader,
        max_phrase: int | None = None,
        statements: StatementSource | None = None,
    ) -> None:
        """Use `open_service` for a data folder."""
        super().__init__(matchers, loader, max_phrase)
        self.catalog = catalog
        self._statements = statements

    def agent(self, value: str) -> str:
        """Return the id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits.
        """
        return self.catalog.agent_names.resolve(value)

    def take_from(self, old: LabelService) -> None:
        """Embed only texts and statements that the old service has not embedded."""
        super().take_from(old)
        if isinstance(old, Service) and self._statements and old._statements:
            self._statements.take_from(old._statements)

    def match_for(self, agent: str, phrase: str) -> MatchResult:
        """Match a phrase about one agent; what the agent's entries say counts, too.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        matcher, reader = self.matchers.get(), self.statements
        weigh = (lambda phrase, ranking: reader.weigh(phrase, ranking, agent)) if reader else None
        checked = self._checked(phrase)
        with pausable():
            return self._noted(phrase, matcher.match(checked, None, weigh))

    def relevant(self, result: MatchResult, agent: str, capability: str) -> "Sequence[Relevant]":
        """Return the statements of an entry that bear on a phrase, likeliest first; none for a bare name or alias.

        Args:
            result: what the phrase was matched to.
            agent: whose entry.
            capability: one of the matches.
        """
        reader = self.statements
        match = next((match for match in result.matches if match.name == capability), None)
        if reader is None or match is None or match.matched_by in ("exact", "alias"):
            return ()
        return reader.relevant(result.query, agent, capability, match.match_confidence)

    @property
    def statements(self) -> "StatementReader | None":
        """The reader of the statements; none in degraded mode, and while they are embedded."""
        return self._statements.reader if self._statements else None

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
    """Return a service for a data folder; its matcher is not loaded yet.

    Args:
        folder: as `load_catalog` reads it.
        loader: loads the encoder.
        max_phrase: maximum characters of a phrase; a longer one is refused. None: only its beginning is read.
        costs: what mistakes cost the caller, for decisions.

    Raises:
        CatalogError: the folder's files cannot be used.
    """
    catalog = load_catalog(folder)
    shared = SharedEncoder.of(loader)
    statements = StatementSource(catalog, _files(folder, STATEMENTS_FILE), shared)
    matchers = MatcherProvider(phrase_book(catalog), _files(folder, VECTORS_FILE), shared, costs, statements)
    return Service(catalog, matchers, shared, max_phrase, statements)


def _files(folder: Path, name: str) -> list[Path]:
    """Return the folder's own file, then the shipped one, which fits a folder whose texts are the shipped ones."""
    return list(dict.fromkeys((folder / name, shipped_data() / name)))
