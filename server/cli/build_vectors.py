"""The subcommand `build-vectors`, and the files that it writes or checks."""

import argparse
import logging
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.errors import VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.statements.statement import Statement
from server.catalog.catalog import phrase_book
from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.catalog.statements import statements
from server.cli.options import (
    CATALOG_FILE,
    STORE_URI,
    Subcommands,
    add_command,
    add_data,
    add_known_tools,
    add_model_folder,
    chosen_catalog,
    chosen_folder,
    positive,
    store_uri,
)
from server.cli.progress import embedding_progress, staged_progress
from server.errors import CallerError
from server.matching.encoders import load_encoder, load_encoder_for_many
from server.matching.facet_reader import FACET_VECTORS_FILE, facet_book
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.statement_source import STATEMENTS_FILE
from server.matching.vector_cache import cache_folder
from server.paths import shipped_data
from server.telemetry.logs import log_warnings
from server.toolset import registry
from server.toolset.tool_matcher import VECTORS_FILE as TOOL_VECTORS_FILE
from server.toolset.tool_matcher import tool_book

# Imported where they are used otherwise, because every start of the command, a server's included, imports this module.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.stores.store import Store
    from embeddings.training.build import Progress


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


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "build-vectors", "embed a catalog and write its vector file", run)
    command.add_argument(
        "--check", action="store_true", help="write nothing; if the file is stale, list the differences and exit 1"
    )
    command.add_argument("--catalog", metavar="FILE", help=f"embed {CATALOG_FILE}, not a data folder")
    command.add_argument(
        "--out",
        metavar="FILE",
        help=f"write the labels' vectors, and no others, to this file (default: {VECTORS_FILE} next to the data, and "
        f"{STATEMENTS_FILE} and {FACET_VECTORS_FILE} for the sentences of the agents' entries and the facets)",
    )
    command.add_argument(
        "--store",
        metavar="URI",
        type=store_uri,
        help=f"with --catalog: write to this store, and publish what was built: {STORE_URI}",
    )
    command.add_argument(
        "--workers",
        metavar="N",
        type=positive,
        help="embed in N processes, which share the cores (default: 1, this process; with --ray: one for each core)",
    )
    command.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="embed on a Ray cluster: HOST:PORT, ray://HOST:PORT, auto for the one of this machine, or local to start "
        "one; needs the extra 'ray'",
    )
    add_known_tools(command)
    add_data(command)
    add_model_folder(command)


def run(options: argparse.Namespace) -> int:
    """Build the vector files, or check them."""
    if options.catalog and options.data:
        raise CallerError("both --catalog and --data were given; one run embeds only one of them; leave one out")
    if options.store is not None:
        return _build_store(options)
    jobs = _jobs(options)
    with _encoder(options) as encoder:
        if options.check:
            # Check every file, so that one run reports all the stale ones.
            return 1 if sum([job.is_stale(encoder) for job in jobs]) else 0
        for job in jobs:
            job.build(encoder)
    return 0


@contextmanager
def _encoder(options: argparse.Namespace) -> Iterator["TextEncoder"]:
    """Yield the encoder for all cores; with the options for it, one that spreads texts over processes."""
    folder, cores, workers = chosen_folder(options), os.cpu_count() or 1, options.workers
    encoder = load_encoder(cores, folder)
    if options.ray is not None:
        from embeddings.training.ray_encoder import RayEncoder

        # Other machines resolve a relative path elsewhere.
        load = partial(load_encoder_for_many, 1, folder.absolute())
        with RayEncoder(encoder, load, options.ray, workers) as spread:
            yield spread
    elif workers is not None and workers > 1:
        from embeddings.training.workers_encoder import WorkersEncoder

        threads = max(1, cores // workers)
        with WorkersEncoder(encoder, partial(load_encoder_for_many, threads, folder), workers) as spread_here:
            yield spread_here
    else:
        yield encoder


def _build_store(options: argparse.Namespace) -> int:
    """Build a catalog file into a store."""
    if not options.catalog:
        raise CallerError("--store was given without --catalog; a store holds the labels of a catalog file; name it")
    for name in ("check", "out"):
        if getattr(options, name):
            raise CallerError(f"both --store and --{name} were given; --{name} is about a vector file; leave one out")
    log_warnings()
    # Imported here because every start of the command imports this module.
    from embeddings.engines.uri import is_vector_file, open_store

    if is_vector_file(options.store):
        file = LabelsJob(Path(options.store), chosen_catalog(options))
        file.build(load_encoder(os.cpu_count() or 1, chosen_folder(options)))
        return 0

    # Opened first, so that a wrong URI is told before the catalog is read.
    store = open_store(options.store)
    job = StoreJob(store, chosen_catalog(options))
    with _encoder(options) as encoder:
        job.build(encoder)
    return 0


def _jobs(options: argparse.Namespace) -> list[Job]:
    """Return the texts to embed and the files for the vectors.

    The shipped folder has one more, for the server's tools.
    """
    if options.catalog:
        catalog = Path(options.catalog)
        log_warnings()
        return [LabelsJob(Path(options.out or catalog.with_suffix(".npz")), chosen_catalog(options))]
    folder = data_folder(options.data)
    catalog_of_agents = load_catalog(folder)
    jobs: list[Job] = [LabelsJob(Path(options.out or folder / VECTORS_FILE), phrase_book(catalog_of_agents))]
    if options.out:
        return jobs
    if found := statements(catalog_of_agents):
        jobs.append(StatementsJob(folder / STATEMENTS_FILE, found))
    if catalog_of_agents.facets:
        jobs.append(LabelsJob(folder / FACET_VECTORS_FILE, facet_book(catalog_of_agents)))
    if folder == shipped_data():
        jobs.append(LabelsJob(folder / TOOL_VECTORS_FILE, tool_book(registry.TOOLS)))
    return jobs
