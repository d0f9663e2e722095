"""Origins of the catalog that a server serves: a folder of agents, a catalog file, or a store (see `Origin`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from embeddings.engines.uri import is_vector_file
from embeddings.labels.skills import skill_files
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.catalog.facets import CELLS_FILE, FACETS_FILE
from server.catalog.folders import AGENT_FILE, agents_folder
from server.catalog.loading import ALIASES_FILE, CAPABILITIES_FILE, PHRASINGS_FILE
from server.catalog.statements import QUESTIONS_FILE
from server.matching.encoders import EncoderLoader, load_agents_encoder, load_encoder
from server.matching.facet_reader import FACET_VECTORS_FILE
from server.matching.label_service import LabelService, open_labels, open_stored_labels, vectors_beside
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.service import Service, open_service
from server.matching.statement_source import STATEMENTS_FILE

FILES: Final = (
    CAPABILITIES_FILE,
    ALIASES_FILE,
    PHRASINGS_FILE,
    FACETS_FILE,
    VECTORS_FILE,
    STATEMENTS_FILE,
    FACET_VECTORS_FILE,
)
"""Files of a data folder that are watched, besides the agents' files."""


@dataclass(frozen=True)
class AgentsFolder:
    """A data folder.

    Attributes:
        path: as `load_catalog` reads it.
        costs: what mistakes cost the caller, for decisions.
    """

    path: Path
    costs: Costs = DEFAULT_COSTS

    def __str__(self) -> str:
        return str(self.path)

    def open(self, loader: EncoderLoader = load_agents_encoder, max_phrase: int | None = None) -> Service:
        """See `open_service`."""
        return open_service(self.path, loader, max_phrase, self.costs)

    def files(self) -> list[Path]:
        """Return the agents' files, and those of the folder itself.

        Raises:
            OSError: the folder cannot be looked at.
        """
        agents = agents_folder(self.path)
        found = [path for name in (AGENT_FILE, QUESTIONS_FILE) for path in agents.glob(f"*/capabilities/{name}")]
        found += agents.glob(f"*/{CELLS_FILE}")
        return found + [self.path / name for name in FILES]


@dataclass(frozen=True)
class CatalogFile:
    """A catalog file, or a folder of skills.

    Attributes:
        path: as `read_catalog` reads it.
        costs: what mistakes cost the caller, for decisions.
        known_tools: as for `read_catalog`.
    """

    path: Path
    costs: Costs = DEFAULT_COSTS
    known_tools: bool = True

    def __str__(self) -> str:
        return str(self.path)

    def open(self, loader: EncoderLoader = load_encoder, max_phrase: int | None = None) -> LabelService:
        """See `open_labels`."""
        return open_labels(self.path, loader, max_phrase, self.costs, known_tools=self.known_tools)

    def files(self) -> list[Path]:
        """Return the file, or those of the skills, and the vectors beside it."""
        read = skill_files(self.path) if self.path.is_dir() else [self.path]
        return [*read, vectors_beside(self.path)]


@dataclass(frozen=True)
class StoredCatalog:
    """A catalog in a store, or in a vector file.

    Attributes:
        uri: of the store, or the file's name.
        costs: what mistakes cost the caller, for decisions.
    """

    uri: str
    costs: Costs = DEFAULT_COSTS

    def __str__(self) -> str:
        return self.uri if is_vector_file(self.uri) else "the store"

    def open(self, loader: EncoderLoader = load_encoder, max_phrase: int | None = None) -> LabelService:
        """See `open_stored_labels`."""
        return open_stored_labels(self.uri, loader, max_phrase, self.costs)

    def files(self) -> list[Path]:
        """Return the vector file; of a store none, because the matcher over it sees for itself what changed."""
        return [Path(self.uri)] if is_vector_file(self.uri) else []
