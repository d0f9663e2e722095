"""The subcommand `build-vectors`."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.errors import VectorFileError
from embeddings.phrase_book import PhraseBook
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.cli.options import Subcommands, add_command, add_data
from server.errors import CallerError
from server.matcher_provider import VECTORS_FILE, load_encoder
from server.paths import data_folder, shipped_data
from server.tool_matcher import VECTORS_FILE as TOOL_VECTORS_FILE
from server.tool_matcher import tool_book
from server.tools import registry

if TYPE_CHECKING:
    from embeddings.encoder import TextEncoder


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "build-vectors", "embed a catalog into its vector file", run)
    command.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 and say what differs when the file is stale"
    )
    command.add_argument("--catalog", metavar="FILE", help="embed this catalog file instead of a data folder")
    command.add_argument("--out", metavar="FILE", help=f"vector file (default: {VECTORS_FILE} beside the data)")
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Build the vector file, or check it."""
    # Imported when run: every start of the command reads this module, a server's too.
    from embeddings.matcher import Matcher

    if options.catalog and options.data:
        raise CallerError("both --catalog and --data given; one thing is embedded at a time; leave one out")
    jobs = _what_and_where(options)
    encoder = load_encoder(os.cpu_count() or 1)
    if options.check:
        # Every file is looked at, so that one run tells all that is stale.
        return 1 if sum(_is_stale(book, out, encoder) for book, out in jobs) else 0
    for book, out in jobs:
        matcher = Matcher.build(book, encoder, _progress)
        try:
            matcher.save(out)
        except OSError as error:
            raise VectorFileError(
                f"vector file {str(out)!r} cannot be written ({error}); what stood there is as it was; make room, or "
                "choose another place with --out"
            ) from error
        print(f"{out}: {len(book.labels)} labels, {out.stat().st_size / 1e6:.1f} MB")
    return 0


def _is_stale(book: PhraseBook, out: Path, encoder: "TextEncoder") -> bool:
    from embeddings.staleness import differences

    try:
        found = differences(out, book, encoder, _progress)
    except VectorFileError as error:
        found = [str(error)]
    for line in found:
        print(line, file=sys.stderr)
    print(f"{out}: {'stale' if found else 'up to date'}")
    return bool(found)


def _what_and_where(options: argparse.Namespace) -> list[tuple[PhraseBook, Path]]:
    """What is embedded into which file; the shipped data have two: the capabilities, and the server's own tools."""
    if options.catalog:
        catalog = Path(options.catalog)
        return [(PhraseBook.from_json(catalog), Path(options.out or catalog.with_suffix(".npz")))]
    folder = data_folder(options.data)
    jobs = [(phrase_book(load_catalog(folder)), Path(options.out or folder / VECTORS_FILE))]
    if folder == shipped_data() and not options.out:
        jobs.append((tool_book(registry.TOOLS), folder / TOOL_VECTORS_FILE))
    return jobs


def _progress(done: int, total: int) -> None:
    """A line that counts up, on a terminal only."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\rembedded {done} of {total} texts", end=end, file=sys.stderr, flush=True)
