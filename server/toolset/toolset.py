"""The registered tools of one running server, and each caller's view of them."""

from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from server.matching.phrase_service import LiveService, PhraseService
from server.schema import trimmed, wire_schema
from server.tools.definition import Tool
from server.toolset import registry
from server.toolset.session import CallerSession
from server.toolset.start import Start
from server.toolset.tool_matcher import ToolMatcher

Context = ServerRequestContext[Any, Any]

_LOADED: Final = "agent-capabilities.loaded"
"""Key in a connection's state: the families that it has loaded."""


class Toolset:
    """Every registered tool, served with the options of one start."""

    def __init__(self, live: LiveService[Any], start: Start, sessions: bool) -> None:
        """Serve the tools registered now; with `sessions`, connections of the legacy protocol can load more."""
        self._sessions = sessions
        self._live = live
        self._start = start
        self._matcher = ToolMatcher(registry.TOOLS, live.current.loader)
        self._listed: dict[str, tuple[Tool, types.Tool]] = {}

    def session(self, context: Context) -> CallerSession:
        """The caller's view for a request, with the families that the connection has loaded."""
        loaded = _loaded_families(context) if self._sessions else None
        service: PhraseService = self._live.current
        tools = registry.tools_for(service)
        return CallerSession(service, self._start, tools, self._matcher, identity(context), loaded)

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """A tool's input schema, the same for every caller; None for an unknown tool."""
        tools = registry.tools_for(self._live.current)
        return next((self._advertised(tool).input_schema for tool in tools if tool.name == name), None)

    def listed(self, session: CallerSession) -> list[types.Tool]:
        """The caller's tools as `tools/list` shows them."""
        return [self._advertised(tool) for tool in session.tools if session.is_loaded(tool)]

    def _advertised(self, tool: Tool) -> types.Tool:
        known, shown = self._listed.get(tool.name, (None, None))
        # A reload can change what the tools of a catalog file say of it.
        if shown is None or known != tool:
            shown = advertised(tool, full_wire=self._start.full_wire)
            self._listed[tool.name] = (tool, shown)
        return shown


def advertised(tool: Tool, *, full_wire: bool = False) -> types.Tool:
    """A tool as `tools/list` shows it; with `full_wire` its schemas keep titles and descriptions."""
    arguments, answer = tool.input_schema, wire_schema(tool.answer, mode="serialization")
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=arguments if full_wire else trimmed(arguments),
        output_schema=answer if full_wire else trimmed(answer),
        annotations=types.ToolAnnotations.model_validate({"title": tool.title, **tool.annotations}),
    )


def identity(context: Context) -> str | None:
    """The caller's identity: over HTTP the token's name; over stdio the client's own name, which is not verified."""
    if context.request is not None:
        user = context.request.scope.get("user")
        return user.access_token.client_id if isinstance(user, AuthenticatedUser) else None
    params = context.session.client_params
    return params.client_info.name if params else None


def _loaded_families(context: Context) -> list[str] | None:
    """The families that the connection has loaded; None if its list of tools cannot change.

    It must not change under protocol 2026-07-28. Under the legacy protocol it can if the connection kept the client's
    parameters from the handshake, which HTTP without sessions does not.
    """
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.client_params is None:
        return None
    # The SDK keeps state for each connection, but gives handlers no public access to it yet.
    state = context.session._connection.state
    loaded: list[str] = state.setdefault(_LOADED, [])
    return loaded
