"""The subcommand `eval`."""

import argparse

from server.cli import eval_inputs, eval_llm, eval_matcher
from server.cli.options import Subcommands, add_command
from server.errors import CallerError

ACTIONS = (eval_matcher, eval_llm, eval_inputs)


def add(subcommands: Subcommands) -> None:
    """Register the subcommand and its actions."""
    command = add_command(subcommands, "eval", "evaluate the matcher, or how well callers use the tools", run)
    actions = command.add_subparsers(title="what to evaluate", metavar="WHAT", required=True)
    for action in ACTIONS:
        action.add(actions)


def run(_: argparse.Namespace) -> int:
    """Never called: an action is required."""
    raise CallerError("eval was not told what to evaluate; it takes matcher, llm, prompts or tools; see eval --help")
