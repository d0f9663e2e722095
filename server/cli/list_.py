"""The subcommand `list`."""

import argparse
from typing import Any

from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.understanding import standing
from server.output import table
from server.tools.definition import checked
from server.tools.list_capabilities import TOOL, list_


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "list", "list the capabilities of an agent or a category", run)
    command.add_argument("--agent", metavar="A", help="list only this agent")
    command.add_argument("--category", metavar="C", help="list only this category, such as security")
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """List capabilities."""
    service = chosen_service(options, with_matcher=False)
    request = checked(TOOL, {"agent": options.agent, "category": options.category})
    return show(options, list_(service, request), render)


def render(answer: dict[str, Any]) -> str:
    """The answer as text."""
    rows = [
        [
            item.get("agent", answer.get("agent", "")),
            item["name"],
            standing(item),
            item.get("tier", ""),
            item["category"],
        ]
        for item in answer["capabilities"]
    ]
    return table(["agent", "capability", "available", "plan", "category"], rows)
