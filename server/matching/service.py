"""The service behind every interface to the agents' catalog: the catalog, and matching phrases against it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.match_result import MatchResult
from embeddings.ranking.pauses import pausable
from server.catalog.catalog import Catalog, phrase_book
from server.catalog.loading import load_catalog
from server.matching.asking import Asked, AskedNeed, distinct
from server.matching.encoders import EncoderLoader, SharedEncoder, load_agents_encoder
from server.matching.facet_reader import FACET_VECTORS_FILE, FacetReader, FacetReading, FacetSource
from server.matching.label_service import LabelService
from server.matching.matcher_provider import VECTORS_FILE, MatcherProvider
from server.matching.need import Need, NeedReader, needs_of
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
        facets: FacetSource | None = None,
    ) -> None:
        """Use `open_service` for a data folder."""
        super().__init__(matchers, loader, max_phrase)
        self.catalog = catalog
        self._statements = statements
        self._facets = facets
        self._needs = NeedReader(catalog.agents)
        self._facet_reader = FacetReader(catalog)

    def agent(self, value: str) -> str:
        """Return the id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits.
        """
        return self.catalog.agent_names.resolve(value)

    def take_from(self, old: LabelService) -> None:
        """Embed only texts, statements and facets that the old service has not embedded."""
        super().take_from(old)
        if not isinstance(old, Service):
            return
        if self._statements and old._statements:
            self._statements.take_from(old._statements)
        if self._facets and old._facets:
            self._facets.take_from(old._facets)

    def ask(self, phrase: str, agent: str | None = None, *, is_wish: bool = False) -> AskedNeed:
        """Understand what a phrase asks for, as one need.

        Args:
            phrase: the need, in any wording; agents may be named.
            agent: whom it is about; what that agent's entries say counts, too.
            is_wish: whether it says what is wanted, and no question or complaint.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        need = replace(self._needs.read(self._checked(phrase)), is_wish=is_wish)
        with pausable():
            return self._asked(need, phrase, agent)

    def ask_each(self, phrase: str) -> Asked:
        """Understand what a phrase asks for, as one need and as several if it states several.

        Raises:
            CallerError: the phrase is blank or too long.
        """
        whole = self.ask(phrase)
        parts = needs_of(whole.need) if "several_needs" in whole.result.notes else ()
        with pausable():
            found = distinct(self._asked(part, phrase, None) for part in parts)
        return Asked(whole, tuple(part.beside(found, self.catalog.facets) for part in found))

    def _asked(self, need: Need, phrase: str, agent: str | None) -> AskedNeed:
        result = self._noted(phrase, replace(self._headings(need, agent), query=phrase))
        facets = self._facets.matcher if self._facets else None
        reading = self._facet_reader.read(need, result, facets) if facets else FacetReading("no_match")
        return AskedNeed(need, result, reading)

    def _headings(self, need: Need, agent: str | None) -> MatchResult:
        """Match a need to the capabilities; what it leaves out is never the one that is found.

        Of the 200 queries of `benchmarks/*.jsonl` that leave something out, 172 have a right capability first by all
        their words, 165 without what they leave out ("runs with nobody at the keyboard" says little then), and 174 so.
        """
        matcher, reader = self.matchers.get(), self.statements
        weigh = (lambda text, ranking: reader.weigh(text, ranking, agent or "")) if reader and agent else None
        if need.exclusion.replaces or need.wanted == need.text:
            return matcher.match(need.wanted, None, weigh)
        found = matcher.match(need.text, None, weigh)
        left_out = found.matches[0].name in self._facet_reader.named_as_left_out(need)
        return matcher.match(need.wanted, None, weigh) if left_out else found

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
    loader: EncoderLoader = load_agents_encoder,
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
    facets = FacetSource(catalog, _files(folder, FACET_VECTORS_FILE), shared)
    files = _files(folder, VECTORS_FILE)
    matchers = MatcherProvider(phrase_book(catalog), files, shared, costs, (facets, statements))
    return Service(catalog, matchers, shared, max_phrase, statements, facets)


def _files(folder: Path, name: str) -> list[Path]:
    """Return the folder's own file, then the shipped one, which fits a folder whose texts are the shipped ones."""
    return list(dict.fromkeys((folder / name, shipped_data() / name)))
