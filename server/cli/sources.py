"""The subcommand `sources`."""

import argparse
from typing import Any

from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.understanding import candidates, note
from server.cli.wording import PROGRAM, quoted
from server.output import table
from server.tools.definition import checked
from server.tools.get_sources import TOOL, SourcesAnswer, collected, get_sources


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
    if not options.agent and options.capability is None:
        return show(options, SourcesAnswer(sources=collected(service, None, None)), render)
    phrase = " ".join(options.capability) if options.capability is not None else None
    answer = get_sources(service, checked(TOOL, {"agent": options.agent, "capability": phrase}))
    return show(options, answer, render)


def render(answer: dict[str, Any]) -> str:
    """The answer as text."""
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
