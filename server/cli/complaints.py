"""What went wrong, told on stderr: a line for people, or a JSON object for programs."""

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from typing import NoReturn

from embeddings.text.invisible import escaped
from server.cli.wording import for_people
from server.errors import Parts


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
        """What is wrong, the command's usage, and where its help is."""
        usage = " ".join(self.command.format_usage().split())
        return Parts(str(self), usage, f"see '{self.command.prog} --help'")


class Parser(argparse.ArgumentParser):
    """A parser that raises `UsageError` where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise UsageError(self, message)


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether errors are to be JSON; read before the arguments are parsed, as they may be what is wrong."""
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
    """The parts in a person's words. The value begins with a tool's name or not at all, and then repeats the caller."""
    first, space, rest = parts.value.partition(" ")
    return Parts(f"{for_people(first)}{space}{rest}", for_people(parts.rule), for_people(parts.next_step))


def _json(parts: Parts) -> str:
    error = {"value": parts.value, "rule": parts.rule, "nextStep": parts.next_step}
    return json.dumps({"error": error})


def _write(text: str) -> None:
    # Nobody may be reading stderr.
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr)
