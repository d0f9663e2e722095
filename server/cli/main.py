"""The command's entry: parses the arguments, runs a subcommand, and maps errors to exit statuses."""

import argparse
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Final, Literal, NoReturn, TextIO

from embeddings.errors import EmbeddingsError, PhraseBookError, PhraseError
from embeddings.text.invisible import escaped
from server import package_version
from server.cli.options import Subcommands
from server.cli.understanding import for_people
from server.errors import CallerError, CatalogError, Parts
from server.matching.matcher_provider import LOADER
from server.stopping import INTERRUPTED, leave


class UsageError(Exception):
    """The arguments do not fit a command.

    Attributes:
        command: the parser that refused them.
    """

    def __init__(self, command: argparse.ArgumentParser, message: str) -> None:
        super().__init__(message)
        self.command = command

    @property
    def parts(self) -> Parts:
        """Parts of the message: what is wrong, the command's usage, and where its help is."""
        usage = " ".join(self.command.format_usage().split())
        return Parts(str(self), usage, f"see '{self.command.prog} --help'")


class Parser(argparse.ArgumentParser):
    """A parser that raises `UsageError` where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise UsageError(self, message)


def wants_json(arguments: Sequence[str]) -> bool:
    """Return whether errors are to be JSON; read before the arguments are parsed, as they may be what is wrong."""
    return "--json" in arguments


def complain_of_usage(error: UsageError, as_json: bool = False) -> None:
    """Print what is wrong with the arguments."""
    if as_json:
        _write(_json(error.parts))
    else:
        _write(f"{error.command.format_usage()}{error.command.prog}: error: {escaped(str(error))}")


def complain(error: object, as_json: bool = False) -> None:
    """Print an error on one line."""
    parts = Parts.of(error)
    if as_json:
        _write(_json(_for_people(parts)))
    else:
        complete = str(parts) == str(error)
        _write(f"error: {escaped(str(_for_people(parts) if complete else error))}")


def _for_people(parts: Parts) -> Parts:
    """Return the parts in a person's words.

    The value begins with a tool's name or not at all, and then repeats the caller.
    """
    first, space, rest = parts.value.partition(" ")
    return Parts(f"{for_people(first)}{space}{rest}", for_people(parts.rule), for_people(parts.next_step))


def _json(parts: Parts) -> str:
    error = {"value": parts.value, "rule": parts.rule, "nextStep": parts.next_step}
    return json.dumps({"error": error})


def _write(text: str) -> None:
    # Nobody may be reading stderr.
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr)


ANSWERED: Final = 0
FAULT: Final = 1
CALLER_MISTAKE: Final = 2

COMMANDS: Final[Mapping[str, str]] = {
    "serve": "serve",
    "gateway": "gateway",
    "inspect": "inspect_",
    "lookup": "lookup",
    "compare": "compare",
    "recommend": "recommend",
    "parity": "parity",
    "list": "list_",
    "sources": "sources",
    "match": "match",
    "build-vectors": "build_vectors",
    "enrich": "enrich",
    "preflight": "preflight",
    "site": "site",
    "eval": "eval_",
    "model": "model",
    "doctor": "doctor",
    "config": "config",
}
"""Each subcommand and its module in this folder. A start imports the module of its subcommand alone."""


def add_subcommand(name: str, subcommands: Subcommands) -> None:
    """Register a subcommand."""
    import_module(f"server.cli.{COMMANDS[name]}").add(subcommands)


def parser(given: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of these arguments: with all subcommands unless they begin with the name of one."""
    root = Parser(
        prog="agent-capabilities",
        description="Find out what AI coding agents can do: ask in your own words, get answers from a sourced catalog.",
        epilog="exit status: 0 answered (also when nothing matched), 1 for a fault, 2 for bad arguments or input files",
    )
    root.add_argument("--version", action="version", version=f"%(prog)s {package_version()}")
    subcommands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in [name for name in given[:1] if name in COMMANDS] or COMMANDS:
        add_subcommand(name, subcommands)
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
        options = parser(given).parse_args(given)
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


_INPUT: Final = 0
_OUTPUT: Final = 1
_ERRORS: Final = 2


def open_missing_streams() -> None:
    """Open the standard streams that the parent closed; Python sets those to None.

    Standard input is then empty. Standard output acts like a pipe whose reader has gone, so the command ends as it
    would with such a pipe. Standard error is discarded: left as None, `print(file=None)` would write it to stdout.
    """
    if sys.stdin is None:
        sys.stdin = _opened(_INPUT, lambda: os.open(os.devnull, os.O_RDONLY), "r")
    if sys.stderr is None:
        sys.stderr = _opened(_ERRORS, lambda: os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        sys.stdout = _opened(_OUTPUT, _pipe_without_reader, "w")


def written_out(stream: TextIO) -> OSError | None:
    """Flush a stream. If that fails, drop what is buffered and return the error."""
    try:
        stream.flush()
    except OSError as error:
        # Python flushes the buffer again at exit and would report the same error.
        lost = os.open(os.devnull, os.O_WRONLY)
        os.dup2(lost, stream.fileno())
        os.close(lost)
        return error
    return None


def _opened(number: int, open_file: Callable[[], int], mode: Literal["r", "w"]) -> TextIO:
    """Open a stream under its usual file descriptor, unless another file has taken that number."""
    free = not _is_open(number)
    file = open_file()
    if free and file != number:
        os.dup2(file, number)
        os.close(file)
        file = number
    return open(file, mode, encoding="utf-8", errors="replace", closefd=False)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _pipe_without_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


UNAWAITED: Final = (LOADER, "catalog-health", "answer")
"""Beginnings of the names of threads that work for seconds on what nobody will use: they load the matcher, judge the
catalog, or answer a client that has left."""


def command(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (default: those of the process), then end the process."""
    open_missing_streams()
    try:
        status = main(arguments)
    except SystemExit as ending:
        if not isinstance(ending.code, int):
            raise
        status = ending.code
    except KeyboardInterrupt:
        # While options are parsed; `main` handles the rest.
        status = INTERRUPTED
    status = _after_writing(status, wants_json(sys.argv[1:] if arguments is None else arguments))
    if any(thread.name.startswith(UNAWAITED) for thread in threading.enumerate()):
        leave(status)
    sys.exit(status)


def _after_writing(status: int, as_json: bool) -> int:
    """Flush the output and return the exit status. A reader that has gone is not a fault; a full disk is."""
    error = written_out(sys.stdout)
    if error and not isinstance(error, BrokenPipeError) and status == ANSWERED:
        complain(
            f"the answer cannot be written ({error}); standard output must take all of it; free space or redirect it",
            as_json,
        )
        status = FAULT
    written_out(sys.stderr)
    return status
