"""The subcommand `eval prompts`."""

import argparse
from pathlib import Path

from server.cli.options import Subcommands, add_command, add_json
from server.cli.output import print_json


def add(actions: Subcommands) -> None:
    """Register the action."""
    command = add_command(actions, "prompts", "print the prompts alone, to be answered elsewhere", run)
    add_prompts(command)
    add_json(command)


def add_prompts(command: argparse.ArgumentParser) -> None:
    """The option that names the prompts."""
    command.add_argument("--prompts", metavar="FILE", type=Path, help="prompts with their expected calls (JSON)")


def run(options: argparse.Namespace) -> int:
    """Print every input: one a line, line breaks within one as spaces, or as JSON lines."""
    from server.harness.prompts import read_prompts

    for text in read_prompts(options.prompts).inputs:
        if options.json:
            print_json({"input": text})
        else:
            print(" ".join(text.split()))
    return 0
