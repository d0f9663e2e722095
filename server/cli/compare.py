"""The subcommand `compare`."""

import argparse
from typing import Any

from server.cli.filter_options import add_agents
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.phrases import add_phrase, whole
from server.cli.understanding import PROGRAM, bearing, candidates, note, quoted, standing
from server.output import bold, table
from server.tools.compare_capability import TOOL, compare
from server.tools.definition import checked


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "compare", "compare what agents offer for a need", run)
    add_phrase(command)
    add_agents(command, "compare only this agent; may be repeated")
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Answer one phrase for several agents."""
    service = chosen_service(options)
    answer = compare(service, checked(TOOL, {"capability": " ".join(options.phrase), "agents": options.agents}))
    agents = "".join(f" --agent {quoted(agent)}" for agent in options.agents or ())
    return show(options, answer, lambda value: render(whole(service.catalog, value), agents))


def render(answer: dict[str, Any], agents: str = "") -> str:
    """Return the answer as text; `agents` are the options with which to ask again."""
    if answer["decision"] != "resolved":
        return candidates(answer, lambda name: f"{PROGRAM} compare {quoted(name)}{agents}")
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
    said = [line for agent in answer["comparison"] for line in bearing(agent, agent["agent"])]
    return "\n".join([bold(answer["capability"]), *note(answer), table(head, rows), *said])
