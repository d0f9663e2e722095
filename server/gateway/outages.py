"""Why upstreams and single tools of theirs cannot be called now, and what is shown of a tool that is held back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import mcp_types as types

from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.schema_guard import ANY_ARGUMENTS
from server.gateway.upstreams.states import UpstreamState
from server.tools.remote.outages import Outage

HELD: Final = "held"

_NEXT: Final = {
    "connecting": "call again in a few seconds",
    "down": "use another tool, or tell the user; the gateway tries the server again by itself",
    "unauthorized": "tell the user to sign in to the server, or to correct its credentials",
}


def outages(states: Mapping[str, UpstreamState], held: Mapping[str, datetime]) -> dict[str, Outage]:
    """The outages of families and of tools that are held back.

    Args:
        states: of the upstreams, by family.
        held: since when tools are held back, by full name.
    """
    found = {
        family: Outage(state.kind, state.since, state.why, _NEXT[state.kind])
        for family, state in states.items()
        if state.kind != "ready"
    }
    return found | {name: _held(name, since) for name, since in held.items()}


def _held(name: str, since: datetime) -> Outage:
    step = f"ask the user to look at it and to run: agent-capabilities gateway accept {name}"
    return Outage(HELD, since, "its description changed since it was first seen", step)


def shown(tool: GatewayTool, *, held: bool) -> types.Tool:
    """The definition that callers get, under the tool's own name; of one that is held back none of its new texts."""
    if not held:
        return tool.tool.model_copy(update={"name": tool.own_name})
    hints = tool.tool.annotations
    return types.Tool(
        name=tool.own_name,
        description="Held back: its description changed.",
        input_schema=dict(ANY_ARGUMENTS),
        annotations=hints and hints.model_copy(update={"title": None}),
    )
