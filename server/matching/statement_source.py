"""Provides the statements of a catalog from the best source: shipped vectors, cached ones, or a new build."""

import logging
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.errors import EmbeddingsError, VectorFileError
from server.catalog.catalog import Catalog
from server.catalog.statements import statements
from server.errors import CatalogError
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.statements.relevance import StatementReader
    from embeddings.statements.statement import Statement
    from embeddings.statements.statement_index import StatementIndex

logger = logging.getLogger(__name__)

STATEMENTS_FILE: Final = "statement-vectors.npz"


class StatementSource:
    """Hands out the reader of one catalog's statements. Safe to share between threads."""

    def __init__(self, catalog: Catalog, files: Sequence[Path], loader: EncoderLoader) -> None:
        """Provide the statements of `catalog`, whose vectors may be stored in one of `files`."""
        self._catalog = catalog
        self._files = files
        self._loader = loader
        self.index: StatementIndex | None = None
        """None while there are no vectors, and if there is nothing to embed."""
        self.reader: StatementReader | None = None
        """Of the index."""
        self._known: StatementIndex | None = None

    def take_from(self, other: "StatementSource") -> None:
        """Do not embed again what is embedded in another source."""
        self._known = other.index

    def load(self, encoder: "TextEncoder") -> bool:
        """Load stored or cached vectors. Returns whether nothing is left to build."""
        return self._read(lambda found: self._stored(found, encoder), encoder)

    def build(self, encoder: "TextEncoder") -> None:
        """Embed what is new of the statements with all cores, and keep the result if the cache can be written."""
        self._read(self._built, encoder)

    def _read(self, index: "Callable[[list[Statement]], StatementIndex | None]", encoder: "TextEncoder") -> bool:
        from embeddings.statements.relevance import StatementReader

        try:
            found = self._statements
            ready = index(found) if found else None
        except (CatalogError, EmbeddingsError, OSError) as error:
            logger.warning("answers do not point out statements: %s", error)
            return True
        if ready is not None:
            names = [capability.name for capability in self._catalog.capabilities]
            self.index, self._known = ready, None
            self.reader = StatementReader(ready, encoder, names)
        return ready is not None or not found

    @cached_property
    def _statements(self) -> "list[Statement]":
        return statements(self._catalog)

    def _stored(self, found: "list[Statement]", encoder: "TextEncoder") -> "StatementIndex | None":
        from embeddings.statements import statement_index
        from embeddings.statements.statement_index import fingerprint

        for path in self._files:
            try:
                return statement_index.read(path, encoder, found)
            except VectorFileError as error:
                # It is normal that the shipped vectors do not fit other statements.
                logger.debug("vectors not used: %s", error)
        try:
            cached = vector_cache.path_of(fingerprint(found), encoder)
            index = statement_index.read(cached, encoder, found)
        except VectorFileError as error:
            logger.debug("vectors not used: %s", error)
            return None
        vector_cache.mark_used(cached)
        return index

    def _built(self, found: "list[Statement]") -> "StatementIndex":
        from embeddings.statements import statement_index
        from embeddings.statements.statement_index import fingerprint
        from embeddings.training.statements import build_statements

        embedder = self._loader(os.cpu_count() or 1)
        index = build_statements(found, embedder, known=self._known)
        vector_cache.keep_file(fingerprint(found), embedder, lambda path: statement_index.write(path, index))
        return index
