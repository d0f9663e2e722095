"""The subcommand `sources`."""

import argparse
from typing import Any

from server.cli.filter_options import all_pages, of_all_agents
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.understanding import PROGRAM, candidates, note, quoted
from server.output import table
from server.tools.get_sources import TOOL


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "sources", "list the vendor pages that the facts come from", run)
    command.add_argument("--agent", metavar="A", help="list only this agent's pages")
    command.add_argument(
        "--capability",
        metavar="PHRASE",
        nargs="+",
        help="list only pages on this capability, or on a need in your own words; quotes are optional",
    )
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Show sources; all of them if neither an agent nor a capability is given."""
    service = chosen_service(options, with_matcher=options.capability is not None)
    phrase = " ".join(options.capability) if options.capability is not None else None
    asked = {"agent": options.agent, "capability": phrase}
    pages = of_all_agents if not options.agent and phrase is None else all_pages
    return show(options, pages(service, TOOL, asked, "sources"), render)


def render(answer: dict[str, Any]) -> str:
    """Return the answer as text."""
    if "sources" not in answer:
        agent = f" --agent {answer['agent']}" if "agent" in answer else ""
        return candidates(answer, lambda name: f"{PROGRAM} sources{agent} --capability {quoted(name)}")
    rows = [
        [
            source.get("agent", answer.get("agent", "")),
            source["capability"],
            source.get("verifiedDate", ""),
            source["url"],
        ]
        for source in answer["sources"]
    ]
    return "\n".join([*note(answer), table(["agent", "capability", "verified", "page"], rows)])
