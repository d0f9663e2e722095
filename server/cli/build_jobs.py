"""The files that `build-vectors` writes or checks, each built in its own way."""

import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.errors import VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.statements.statement import Statement
from server.cli.progress import embedding_progress, staged_progress
from server.matching.vector_cache import cache_folder

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.stores.store import Store
    from embeddings.training.build import Progress


# Imported where they are used otherwise, because every start of the command, a server's included, imports this module.


@dataclass(frozen=True)
class Job(ABC):
    """One file.

    Attributes:
        out: the file.
    """

    out: Path

    def build(self, encoder: "TextEncoder") -> None:
        """Build the file and say what it holds.

        Raises:
            VectorFileError: it cannot be written.
        """
        with embedding_progress() as progress:
            written = self._written(encoder, progress)
        print(f"{self.out}: {written}, {self.out.stat().st_size / 1e6:.1f} MB")

    def is_stale(self, encoder: "TextEncoder") -> bool:
        """Return whether the file is not what would be built now; say why on stderr."""
        try:
            with embedding_progress() as progress:
                found = self._differences(encoder, progress)
        except VectorFileError as error:
            found = [str(error)]
        for line in found:
            print(line, file=sys.stderr)
        print(f"{self.out}: {'stale' if found else 'up to date'}")
        return bool(found)

    @abstractmethod
    def _written(self, encoder: "TextEncoder", progress: "Progress") -> str:
        """Build and write the file; returns how much is in it."""

    @abstractmethod
    def _differences(self, encoder: "TextEncoder", progress: "Progress") -> list[str]:
        """List the differences from a build made now.

        Raises:
            VectorFileError: the file cannot be used.
        """

    def _unwritable(self, error: OSError) -> VectorFileError:
        return VectorFileError(
            f"vector file {str(self.out)!r} cannot be written ({error}); an existing file there is unchanged; free "
            "disk space, or choose another place with --out"
        )


@dataclass(frozen=True)
class LabelsJob(Job):
    """The vectors of a catalog's labels.

    Attributes:
        book: the catalog.
    """

    book: PhraseBook

    def _written(self, encoder: "TextEncoder", progress: "Progress") -> str:
        from embeddings.matcher import Matcher

        matcher = Matcher.build(self.book, encoder, progress)
        try:
            matcher.save(self.out)
        except OSError as error:
            raise self._unwritable(error) from error
        return f"{len(self.book.labels)} labels"

    def _differences(self, encoder: "TextEncoder", progress: "Progress") -> list[str]:
        from embeddings.training.staleness import differences

        return differences(self.out, self.book, encoder, progress)


@dataclass(frozen=True)
class StatementsJob(Job):
    """The vectors of the statements of a catalog's entries.

    Attributes:
        statements: of all agents.
    """

    statements: Sequence[Statement]

    def _written(self, encoder: "TextEncoder", progress: "Progress") -> str:
        from embeddings.statements import statement_index
        from embeddings.training.statements import build_statements

        index = build_statements(self.statements, encoder, progress)
        try:
            statement_index.write(self.out, index)
        except OSError as error:
            raise self._unwritable(error) from error
        return f"{len(self.statements)} statements"

    def _differences(self, encoder: "TextEncoder", progress: "Progress") -> list[str]:
        from embeddings.training.statements import differences

        return differences(self.out, self.statements, encoder, progress)


# Imported where they are used otherwise, because every start of the command, a server's included, imports this module.

logger = logging.getLogger(__name__)

FOLDER: Final = "builds"
"""Within the cache folder, the vectors of builds under way that their stores do not have yet."""


@dataclass(frozen=True)
class StoreJob:
    """A catalog for a store.

    Attributes:
        store: where to write.
        book: the catalog.
    """

    store: "Store"
    book: PhraseBook

    def build(self, encoder: "TextEncoder") -> None:
        """Write the catalog, publish it, and say what is there.

        Raises:
            StoreError: the store cannot be written.
            WorkerError: other processes embed, and one of them failed.
        """
        from embeddings.training.store_build import build_store

        try:
            with staged_progress("texts") as show:
                built = build_store(self.book, encoder, self.store, lambda report: show(*report), _folder())
        finally:
            self.store.close()
        print(
            f"published: {built.labels:,} labels with {built.phrases:,} phrases; {built.embedded:,} texts were embedded"
        )


def _folder() -> Path | None:
    try:
        return cache_folder() / FOLDER
    except OSError as error:
        logger.warning("%s; if this build is killed, a part of its texts is embedded again", error)
        return None
