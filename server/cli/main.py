"""The command's entry: parses, runs a subcommand, and maps errors to exit statuses."""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from embeddings.errors import EmbeddingsError, PhraseBookError, PhraseError
from server import package_version
from server.cli import build_vectors, compare, config, doctor, eval_, list_, lookup, match, model, serve, sources
from server.errors import CallerError, CatalogError
from server.stopping import INTERRUPTED

ANSWERED: Final = 0
FAULT: Final = 1
CALLER_MISTAKE: Final = 2

COMMANDS: Final = (serve, lookup, compare, list_, sources, match, build_vectors, eval_, model, doctor, config)


def parser() -> argparse.ArgumentParser:
    """The whole command with all its subcommands."""
    root = argparse.ArgumentParser(
        prog="agent-capabilities",
        description="What AI coding agents can do, asked in your own words, answered from a sourced catalog.",
        epilog="exit status: 0 answered (also when nothing matched), 2 for what the caller got wrong, 1 for a fault",
    )
    root.add_argument("--version", action="version", version=f"%(prog)s {package_version()}")
    subcommands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(subcommands)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding shows a question mark instead of failing.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except (CallerError, PhraseError, PhraseBookError) as error:
        return _complain(error, CALLER_MISTAKE)
    except BrokenPipeError:
        return ANSWERED
    except (CatalogError, EmbeddingsError, OSError) as error:
        return _complain(error, FAULT)
    except KeyboardInterrupt:
        return INTERRUPTED


def _complain(error: Exception, status: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return status
