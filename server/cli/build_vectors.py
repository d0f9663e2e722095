"""The subcommand `build-vectors`."""

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.errors import VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.cli.options import CATALOG_FILE, Subcommands, add_command, add_data, add_model_folder, model_folder
from server.cli.progress import embedding_progress
from server.errors import CallerError
from server.matching.encoders import load_encoder
from server.matching.label_service import read_catalog
from server.matching.matcher_provider import VECTORS_FILE
from server.paths import shipped_data
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
    command.add_argument("--out", metavar="FILE", help=f"vector file (default: {VECTORS_FILE} next to the data)")
    add_data(command)
    add_model_folder(command)


def run(options: argparse.Namespace) -> int:
    """Build the vector files, or check them."""
    # Imported here because every start of the command, a server's included, imports this module.
    from embeddings.matcher import Matcher

    if options.catalog and options.data:
        raise CallerError("both --catalog and --data were given; one run embeds only one of them; leave one out")
    jobs = _jobs(options)
    encoder = load_encoder(os.cpu_count() or 1, model_folder(options))
    if options.check:
        # Check every file, so that one run reports all the stale ones.
        return 1 if sum(_is_stale(book, out, encoder) for book, out in jobs) else 0
    for book, out in jobs:
        with embedding_progress() as progress:
            matcher = Matcher.build(book, encoder, progress)
        try:
            matcher.save(out)
        except OSError as error:
            raise VectorFileError(
                f"vector file {str(out)!r} cannot be written ({error}); an existing file there is unchanged; free disk "
                "space, or choose another place with --out"
            ) from error
        print(f"{out}: {len(book.labels)} labels, {out.stat().st_size / 1e6:.1f} MB")
    return 0


def _is_stale(book: PhraseBook, out: Path, encoder: "TextEncoder") -> bool:
    from embeddings.training.staleness import differences

    try:
        with embedding_progress() as progress:
            found = differences(out, book, encoder, progress)
    except VectorFileError as error:
        found = [str(error)]
    for line in found:
        print(line, file=sys.stderr)
    print(f"{out}: {'stale' if found else 'up to date'}")
    return bool(found)


def _jobs(options: argparse.Namespace) -> list[tuple[PhraseBook, Path]]:
    """What to embed, and the file for its vectors. The shipped data has two: capabilities, and the server's tools."""
    if options.catalog:
        catalog = Path(options.catalog)
        logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
        return [(read_catalog(catalog, pipe=True), Path(options.out or catalog.with_suffix(".npz")))]
    folder = data_folder(options.data)
    jobs = [(phrase_book(load_catalog(folder)), Path(options.out or folder / VECTORS_FILE))]
    if folder == shipped_data() and not options.out:
        jobs.append((tool_book(registry.TOOLS), folder / TOOL_VECTORS_FILE))
    return jobs
