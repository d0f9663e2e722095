"""The registered tools of one running server, and whose view of them a request has."""

from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from server.caller import Caller
from server.live_service import LiveService
from server.schemas import wire_schema
from server.start import Start
from server.tool_matcher import ToolMatcher
from server.tools import registry
from server.tools.definition import Tool
from server.wire import trimmed

Context = ServerRequestContext[Any, Any]

_LOADED: Final = "agent-capabilities.loaded"
"""Key in a connection's state: the families that it has loaded."""


class Toolset:
    """Every registered tool, as this start serves them."""

    def __init__(self, live: LiveService, start: Start, sessions: bool) -> None:
        """Serve the tools that are registered now; with `sessions`, connections of the handshake era can load more."""
        self._sessions = sessions
        self._live = live
        self._start = start
        self._tools = registry.TOOLS
        self._matcher = ToolMatcher(self._tools, live.current.loader)
        self._listed: dict[str, types.Tool] = {}

    def caller(self, context: Context) -> Caller:
        """Who sent a request, with what their connection has loaded."""
        loaded = _loaded_families(context) if self._sessions else None
        return Caller(self._live.current, self._start, self._tools, self._matcher, identity(context), loaded)

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """A tool's schema of arguments, whoever calls; None for an unknown tool."""
        return next((self._advertised(tool).input_schema for tool in self._tools if tool.name == name), None)

    def listed(self, caller: Caller) -> list[types.Tool]:
        """The caller's tools as `tools/list` shows them."""
        return [self._advertised(tool) for tool in caller.tools if caller.is_loaded(tool)]

    def _advertised(self, tool: Tool) -> types.Tool:
        if tool.name not in self._listed:
            self._listed[tool.name] = advertised(tool, full_wire=self._start.full_wire)
        return self._listed[tool.name]


def advertised(tool: Tool, *, full_wire: bool = False) -> types.Tool:
    """A tool on the wire; with `full_wire` its schemas keep titles and descriptions."""
    arguments, answer = wire_schema(tool.request), wire_schema(tool.answer, mode="serialization")
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=arguments if full_wire else trimmed(arguments),
        output_schema=answer if full_wire else trimmed(answer),
        annotations=types.ToolAnnotations.model_validate({"title": tool.title, **tool.annotations}),
    )


def identity(context: Context) -> str | None:
    """Who sends a request: over HTTP the name of the token; else what the client calls itself, which anyone may."""
    if context.request is not None:
        user = context.request.scope.get("user")
        return user.access_token.client_id if isinstance(user, AuthenticatedUser) else None
    params = context.session.client_params
    return params.client_info.name if params else None


def _loaded_families(context: Context) -> list[str] | None:
    """What the connection has loaded; None where lists must not vary, or nothing outlives a request.

    A handshake that is remembered is known by the client's parameters, which HTTP without sessions does not keep.
    """
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.client_params is None:
        return None
    # The SDK keeps a connection's state for handlers, but hands them no public way to the connection yet.
    state = context.session._connection.state
    loaded: list[str] = state.setdefault(_LOADED, [])
    return loaded
