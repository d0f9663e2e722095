"""The subcommand `list`."""

import argparse
from typing import Any

from server.catalog.plans import no_plan_note, plan_words
from server.cli.filter_options import (
    add_access,
    add_category,
    add_tier,
    all_pages,
    joined,
    of_all_agents,
    service_for_category,
)
from server.cli.options import Subcommands, add_command, add_data, add_json, show
from server.cli.understanding import category_note, standing
from server.output import table
from server.tools.list_capabilities import TOOL


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "list", "list capabilities: all, or those of an agent or a category", run)
    command.add_argument("--agent", metavar="A", help="list only this agent's")
    add_category(command, "list only this category, such as security")
    add_tier(command, "list only what is available on this plan or a lower one")
    add_access(command, "list only what this opens, for which no plan is needed, or what --tier has; may be repeated")
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """List capabilities; those of all agents if neither an agent nor a category is given."""
    service = service_for_category(options)
    asked = {"agent": options.agent, "category": options.category}
    pages = all_pages if any(asked.values()) else of_all_agents
    means = {"tier": options.tier, "access": joined(options.access)}
    return show(options, pages(service, TOOL, asked | means, "capabilities"), render)


def render(answer: dict[str, Any]) -> str:
    """Return the answer as text."""
    rows = [
        [
            item.get("agent", answer.get("agent", "")),
            item["name"],
            standing(item),
            plan_words(item.get("tier"), item.get("access", [])),
            item["category"],
        ]
        for item in answer["capabilities"]
    ]
    head = ["agent", "capability", "available", "needs", "category"]
    told = no_plan_note(item.get("access", []) for item in answer["capabilities"])
    return "\n".join([*category_note(answer), table(head, rows), *([f"({told})"] if told else [])])
