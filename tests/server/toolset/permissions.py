"""Rules of an allowlist, and every path by which a caller might get round them."""

import json
import re
from typing import Any, Final

from mcp import Client
from mcp.shared.exceptions import MCPError

from server.tools.definition import Tool
from server.tools.families import CHOOSABLE, META
from server.toolset import registry
from server.toolset.start import Start
from tests.server.toolset.starts import CALLER, CALLS, rules, started

Rule = tuple[str, ...] | None
"""Permitted families; None where no rule is for the caller."""

Way = tuple[str, dict[str, Any]]
"""A tool's name and its arguments."""

RULES: Final[dict[str, Rule]] = {
    "core": ("core",),
    "core and match": ("core", "match"),
    "decide without core": ("decide",),
    "full": CHOOSABLE,
    "no rule": None,
}


def start_for(rule: Rule, profile: str = "core", *, dynamic: bool = True) -> Start:
    someone_else = {"someone-else": CHOOSABLE}
    given = someone_else if rule is None else someone_else | {CALLER: rule}
    return started(profile, dynamic=dynamic, allowlist=rules(**given))


def permitted(rule: Rule) -> tuple[str, ...]:
    return (*(("core",) if rule is None else rule), META)


def forbidden(rule: Rule) -> list[Tool]:
    return [tool for tool in registry.TOOLS if tool.family not in permitted(rule)]


def named(rule: Rule, *shown: Any) -> list[str]:
    """Tools that the caller may not use and is shown all the same."""
    text = json.dumps(shown, default=str)
    return [tool.name for tool in forbidden(rule) if re.search(rf"\b{tool.name}\b", text)]


async def outcome(client: Client, tool: str, arguments: dict[str, Any]) -> Any:
    """Return the outcome of a call as plain data."""
    try:
        return (await client.call_tool(tool, arguments)).model_dump(mode="json")
    except MCPError as error:
        return error.error.model_dump(mode="json")


def loads(tool: Tool) -> list[Way]:
    """Return every way to have a tool loaded."""
    by_family = ("load_family", {"family": tool.family})
    return [
        by_family,
        ("call_tool", {"name": by_family[0], "arguments": by_family[1]}),
        *(("smart_load", {"intent": intent}) for intent in (tool.family, tool.name, tool.title, tool.description)),
    ]


def calls(tool: Tool) -> list[Way]:
    """Return every way to have a tool run."""
    through = {"name": tool.name, "arguments": CALLS[tool.name]}
    return [(tool.name, CALLS[tool.name]), ("call_tool", through), ("call_tool", {"name": "call_tool"} | through)]
