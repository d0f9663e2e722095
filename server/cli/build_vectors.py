"""The subcommand `build-vectors`."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server.catalog.catalog import phrase_book
from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.catalog.statements import statements
from server.cli.build_jobs import Job, LabelsJob, StatementsJob, StoreJob
from server.cli.options import (
    CATALOG_FILE,
    STORE_URI,
    Subcommands,
    add_command,
    add_data,
    add_model_folder,
    model_folder,
    positive,
    store_uri,
)
from server.errors import CallerError
from server.matching.encoders import load_encoder, load_encoder_for_many
from server.matching.label_service import read_catalog
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.statement_source import STATEMENTS_FILE
from server.paths import shipped_data
from server.telemetry.logs import log_warnings
from server.toolset import registry
from server.toolset.tool_matcher import VECTORS_FILE as TOOL_VECTORS_FILE
from server.toolset.tool_matcher import tool_book

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder


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
        f"{STATEMENTS_FILE} for the sentences of the agents' entries)",
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
    folder, cores, workers = model_folder(options), os.cpu_count() or 1, options.workers
    encoder = load_encoder(cores, folder)
    if options.ray is not None:
        from embeddings.training.ray_encoder import RayEncoder

        # Other machines resolve a relative path elsewhere.
        load = partial(load_encoder_for_many, 1, folder and folder.absolute())
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
        file = LabelsJob(Path(options.store), read_catalog(Path(options.catalog), pipe=True))
        file.build(load_encoder(os.cpu_count() or 1, model_folder(options)))
        return 0

    # Opened first, so that a wrong URI is told before the catalog is read.
    store = open_store(options.store)
    job = StoreJob(store, read_catalog(Path(options.catalog), pipe=True))
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
        return [LabelsJob(Path(options.out or catalog.with_suffix(".npz")), read_catalog(catalog, pipe=True))]
    folder = data_folder(options.data)
    catalog_of_agents = load_catalog(folder)
    jobs: list[Job] = [LabelsJob(Path(options.out or folder / VECTORS_FILE), phrase_book(catalog_of_agents))]
    if options.out:
        return jobs
    if found := statements(catalog_of_agents):
        jobs.append(StatementsJob(folder / STATEMENTS_FILE, found))
    if folder == shipped_data():
        jobs.append(LabelsJob(folder / TOOL_VECTORS_FILE, tool_book(registry.TOOLS)))
    return jobs
