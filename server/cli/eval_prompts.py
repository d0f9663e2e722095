"""The subcommand `eval prompts`."""

import argparse
from pathlib import Path

from server.cli.options import Subcommands, add_command, add_json
from server.cli.serve_options import add_surface, start_of
from server.output import print_json


def add(actions: Subcommands) -> None:
    """Register the action."""
    command = add_command(actions, "prompts", "print only the prompts, to have them answered elsewhere", run)
    add_prompts(command)
    add_surface(command)
    add_json(command)


def add_prompts(command: argparse.ArgumentParser) -> None:
    """Add the option that names the file of prompts."""
    command.add_argument(
        "--prompts",
        metavar="FILE",
        type=Path,
        help="prompts with their expected calls, as JSON (default: the shipped ones for the server's tools)",
    )


def run(options: argparse.Namespace) -> int:
    """Print every input, as JSON lines or as one line of text with its line breaks replaced by spaces."""
    from server.evals.evaluate import chosen_suite

    for text in chosen_suite(options.prompts, start_of(options)).inputs:
        if options.json:
            print_json({"input": text})
        else:
            print(" ".join(text.split()))
    return 0
