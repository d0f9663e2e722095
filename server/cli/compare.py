"""The subcommand `compare`."""

import argparse
from typing import Any

from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.understanding import candidates, note, standing
from server.output import bold, table
from server.tools.compare_capability import TOOL, compare
from server.tools.definition import checked


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "compare", "compare what agents offer for a need", run)
    command.add_argument("phrase", metavar="PHRASE", help="a capability, or the need in your own words")
    command.add_argument(
        "--agent", metavar="A", dest="agents", action="append", help="compare only this agent; may be repeated"
    )
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Answer one phrase for several agents."""
    service = chosen_service(options)
    answer = compare(service, checked(TOOL, {"capability": options.phrase, "agents": options.agents}))
    return show(options, answer, render)


def render(answer: dict[str, Any]) -> str:
    """The answer as text."""
    if answer["decision"] != "resolved":
        return candidates(answer)
    rows = [
        [
            line["agent"],
            standing(line),
            line.get("tier", ""),
            line.get("maturityLevel", ""),
            line.get("implementationNotes", {}).get("setup", ""),
        ]
        for line in answer["comparison"]
    ]
    head = ["agent", "available", "plan", "maturity", "setup"]
    return "\n".join([bold(answer["capability"]), *note(answer), table(head, rows)])
