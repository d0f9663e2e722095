"""Which log messages of upstreams a caller gets."""

from typing import Any, Final, get_args

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]

LEVELS: Final[tuple[types.LoggingLevel, ...]] = get_args(types.LoggingLevel)
"""From least to most severe."""

DEFAULT: Final[types.LoggingLevel] = "info"
"""Level for legacy callers that set none, at upstreams that require one."""

_LEVEL: Final = "agent-capabilities.log-level"
"""Key in a connection's state: the level that a legacy caller has set."""


async def set_level(context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    """Answer `logging/setLevel` of a legacy caller."""
    _state(context)[_LEVEL] = params.level
    return types.EmptyResult()


def least_severe(context: Context) -> types.LoggingLevel | None:
    """Return the least severe level to ask an upstream for; None if the caller gets no log messages."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return _set_level(context) or DEFAULT
    allowed = allowed_log_levels(context.protocol_version, context.meta)
    return min(allowed, key=LEVELS.index, default=None)


def wants(context: Context, level: types.LoggingLevel) -> bool:
    """Tell whether the caller gets messages of a level: by its request in 2026-07-28, before by `logging/setLevel`."""
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return level in allowed_log_levels(context.protocol_version, context.meta)
    wanted = _set_level(context)
    return wanted is None or LEVELS.index(level) >= LEVELS.index(wanted)


def _set_level(context: Context) -> types.LoggingLevel | None:
    level: types.LoggingLevel | None = _state(context).get(_LEVEL)
    return level


def _state(context: Context) -> dict[str, Any]:
    # The SDK keeps state for each connection, but gives handlers no public access to it yet.
    return context.session._connection.state
