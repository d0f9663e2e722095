"""The tools of one running server, and each caller's view of them."""

import logging
from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import Scope

from server.schema import trimmed
from server.tools.definition import Tool
from server.tools.remote_tool import RemoteTool
from server.toolset.session import CallerSession
from server.toolset.source import ToolSource
from server.toolset.start import Start

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

_LOADED: Final = "agent-capabilities.loaded"
"""Key in a connection's state: the families that it has loaded."""


class Toolset:
    """Every tool of a source, served with the options of one start."""

    def __init__(self, source: ToolSource, start: Start, sessions: bool) -> None:
        """Serve what `source` offers; with `sessions`, connections of the legacy protocol can load more."""
        self.source = source
        self._sessions = sessions
        self._start = start
        self._listed: dict[str, tuple[Tool, types.Tool]] = {}

    def session(self, context: Context) -> CallerSession:
        """Return the caller's view for a request, with the families that the connection has loaded."""
        return self.view(identity(context), self.loaded(context))

    def view(self, identity: str | None, loaded: list[str] | None) -> CallerSession:
        """Return the view of a caller who has loaded some families; None if nothing is remembered."""
        return CallerSession(self.source.offer(), self._start, identity, loaded)

    def loaded(self, context: Context) -> list[str] | None:
        """Return the families that the connection has loaded; None if it remembers nothing between requests."""
        return _loaded_families(context) if self._sessions else None

    @property
    def served(self) -> tuple[str, ...]:
        """The families of which tools are listed or can be loaded, in order."""
        offer, loaded = self.source.offer(), self.view(None, None).profile.families
        return tuple(
            family
            for family in offer.families.holdings
            if family in offer.used_families and (self._start.dynamic or family in loaded)
        )

    @property
    def rules(self) -> Mapping[str, frozenset[str]]:
        """What the allowlist permits, by identity; nothing without one."""
        return self._start.allowlist.rules if self._start.allowlist else {}

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """Return a tool's input schema, the same for every caller; None for an unknown tool."""
        tool = self.source.offer().by_name.get(name)
        return self._advertised(tool).input_schema if tool else None

    def listed(self, session: CallerSession) -> list[types.Tool]:
        """Return the caller's tools as `tools/list` shows them."""
        return [self._advertised(tool) for tool in session.tools if session.is_loaded(tool)]

    def _advertised(self, tool: Tool) -> types.Tool:
        if isinstance(tool, RemoteTool):
            return tool.listed
        known, shown = self._listed.get(tool.name, (None, None))
        # A reload can change what the tools of a catalog file say of it.
        if shown is None or known != tool:
            shown = advertised(tool, full_wire=self._start.full_wire)
            self._listed[tool.name] = (tool, shown)
        return shown


def warn_of_unserved(toolset: Toolset) -> None:
    """Log a warning for each rule of the allowlist that names a family of which no tool is listed."""
    served = toolset.served
    for identity, families in toolset.rules.items():
        missing = sorted(families.difference(served))
        if missing:
            logger.warning(
                "the allowlist gives %r the family %s, of which this server lists no tool; it lists %s; start it with "
                "--profile or --dynamic-tools so that it has the family, or correct the rule",
                identity,
                ", ".join(missing),
                ", ".join(served),
            )


def advertised(tool: Tool, *, full_wire: bool = False) -> types.Tool:
    """Return a tool of this server as `tools/list` shows it.

    With `full_wire` its schemas keep titles and descriptions.
    """
    answer = tool.output_schema
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema if full_wire else tool.brief_schema,
        output_schema=answer if full_wire or answer is None else trimmed(answer),
        annotations=types.ToolAnnotations.model_validate({"title": tool.title, **tool.annotations}),
    )


def identity(context: Context) -> str | None:
    """Return the caller's identity: over HTTP the token's name.

    Over stdio it is the client's own name, which is not verified.
    """
    if context.request is not None:
        return token_name(context.request.scope)
    params = context.session.client_params
    return params.client_info.name if params else None


def token_name(scope: Scope) -> str | None:
    """Return the name of the token of an HTTP request; None without one."""
    user = scope.get("user")
    return user.access_token.client_id if isinstance(user, AuthenticatedUser) else None


def _loaded_families(context: Context) -> list[str] | None:
    """Return the families that the connection has loaded; None if its list of tools cannot change.

    It must not change under protocol 2026-07-28. Under the legacy protocol it can if the connection kept the client's
    parameters from the handshake, which HTTP without sessions does not.
    """
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.client_params is None:
        return None
    # The SDK keeps state for each connection, but gives handlers no public access to it yet.
    state = context.session._connection.state
    loaded: list[str] = state.setdefault(_LOADED, [])
    return loaded
