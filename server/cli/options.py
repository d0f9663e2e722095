"""Options and steps that several subcommands share."""

import argparse
import logging
import sys
from collections.abc import Callable
from typing import Any

from server.answers import Answer
from server.cli.output import print_json
from server.paths import DATA_VARIABLE, data_folder
from server.service import Service, open_service

Subcommands = Any
"""What `ArgumentParser.add_subparsers` returns; argparse has no public name for it."""

Run = Callable[[argparse.Namespace], int]


def add_command(subcommands: Subcommands, name: str, help_text: str, run: Run) -> argparse.ArgumentParser:
    """A subcommand that `main` can run."""
    command: argparse.ArgumentParser = subcommands.add_parser(
        name, help=help_text, description=help_text[0].upper() + help_text[1:] + "."
    )
    command.set_defaults(run=run)
    return command


def add_data(command: argparse.ArgumentParser) -> None:
    """The option that names the data folder."""
    command.add_argument(
        "--data",
        metavar="DIR",
        help=f"folder that holds agents/, or that folder itself (default: ${DATA_VARIABLE}, else the shipped data)",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """The option that switches to JSON."""
    command.add_argument("--json", action="store_true", help="print JSON, one object a line")


def chosen_service(options: argparse.Namespace, *, with_matcher: bool = True) -> Service:
    """The service of the chosen data folder, its matcher loaded where phrases are to be matched."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    service = open_service(data_folder(options.data))
    if with_matcher:
        service.matchers.load()
    return service


def show(options: argparse.Namespace, answer: Answer, render: Callable[[dict[str, Any]], str]) -> int:
    """Print an answer as JSON or as text. Returns the exit status."""
    value = answer.to_json()
    if options.json:
        print_json(value)
    else:
        print(render(value))
    return 0


def whole(text: str) -> int:
    """A whole number from 0 on, as argparse takes it.

    Raises:
        argparse.ArgumentTypeError: it is something else.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 on, as argparse takes it.

    Raises:
        argparse.ArgumentTypeError: it is something else.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)
