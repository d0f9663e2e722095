"""The answer to a request to load a family: its tools, and how to call them on this connection."""

from typing import Any

from server.schema import trimmed, wire_schema
from server.tools.answers import Answer
from server.tools.definition import Tool
from server.tools.families import META
from server.tools.meta.session import Session


class LoadedTool(Answer):
    """A tool and its arguments."""

    name: str
    description: str
    input_schema: dict[str, Any]


class LoadedFamily(Answer):
    """A family that the caller asked for.

    `loaded` says whether its tools can now be called by their names; `changed`, whether `tools/list` has changed.
    """

    family: str
    loaded: bool
    changed: bool
    tools: list[LoadedTool]
    how_to_call: str


def load(session: Session, family: str) -> LoadedFamily:
    """Load a permitted family if the caller has a session, and say how to call its tools."""
    changed = session.load(family)
    tools = [tool for tool in session.tools if tool.family == family]
    loaded = all(session.is_loaded(tool) for tool in tools)
    return LoadedFamily(
        family=family,
        loaded=loaded,
        changed=changed,
        tools=[
            LoadedTool(name=tool.name, description=tool.description, input_schema=trimmed(wire_schema(tool.request)))
            for tool in tools
        ],
        how_to_call=_how_to_call(tools[0], loaded=loaded),
    )


def _how_to_call(example: Tool, *, loaded: bool) -> str:
    through = f"call_tool(name='{example.name}', arguments=<object>)"
    if example.family == META:
        return "Call them by name; they are always loaded."
    if loaded:
        return f"Call them by name. If your list of tools does not show them, {through} does the same."
    return f"Call them through call_tool: {through}. The list of tools stays as it is on this connection."
