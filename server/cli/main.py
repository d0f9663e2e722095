"""The command's entry: parses the arguments, runs a subcommand, and maps errors to exit statuses."""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from embeddings.errors import EmbeddingsError, PhraseBookError, PhraseError
from server import package_version
from server.cli import (
    build_vectors,
    compare,
    config,
    doctor,
    enrich,
    eval_,
    gateway,
    inspect_,
    list_,
    lookup,
    match,
    model,
    parity,
    preflight,
    recommend,
    serve,
    site,
    sources,
)
from server.cli.complaints import Parser, UsageError, complain, complain_of_usage, wants_json
from server.errors import CallerError, CatalogError
from server.stopping import INTERRUPTED

ANSWERED: Final = 0
FAULT: Final = 1
CALLER_MISTAKE: Final = 2

COMMANDS: Final = (
    serve,
    gateway,
    inspect_,
    lookup,
    compare,
    recommend,
    parity,
    list_,
    sources,
    match,
    build_vectors,
    enrich,
    preflight,
    site,
    eval_,
    model,
    doctor,
    config,
)


def parser() -> argparse.ArgumentParser:
    """The parser with all subcommands."""
    root = Parser(
        prog="agent-capabilities",
        description="Find out what AI coding agents can do: ask in your own words, get answers from a sourced catalog.",
        epilog="exit status: 0 answered (also when nothing matched), 1 for a fault, 2 for bad arguments or input files",
    )
    root.add_argument("--version", action="version", version=f"%(prog)s {package_version()}")
    subcommands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(subcommands)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal whose encoding lacks a character shows a question mark; printing does not fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    given = sys.argv[1:] if arguments is None else arguments
    as_json = wants_json(given)
    try:
        options = parser().parse_args(given)
        status: int = options.run(options)
        return status
    except UsageError as error:
        complain_of_usage(error, as_json)
        return CALLER_MISTAKE
    except (CallerError, PhraseError, PhraseBookError) as error:
        complain(error, as_json)
        return CALLER_MISTAKE
    except BrokenPipeError:
        return ANSWERED
    except (CatalogError, EmbeddingsError, OSError) as error:
        complain(error, as_json)
        return FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
