"""The request timeout inside a session, where the response has already begun.

A session answers on a stream and sends its status at once. When such a request takes too long, it is too late for a
status of 504, so this module ends the request with a JSON-RPC error.
"""

from typing import Any, Final

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import REQUEST_TIMEOUT
from starlette.types import Scope

_KEY: Final = "agent-capabilities.deadline"


def set_deadline(scope: Scope, when: float) -> None:
    """Store the time by which a request must be answered, on the clock of `anyio.current_time`."""
    scope[_KEY] = when


class Deadline(ServerMiddleware[Any]):
    """Ends a request with a JSON-RPC error when its time is up."""

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass a message on, and stop waiting at its request's deadline.

        Raises:
            MCPError: the time is up.
        """
        when = ctx.request.scope.get(_KEY) if ctx.request is not None and ctx.request_id is not None else None
        if when is None:
            return await call_next(ctx)
        with anyio.CancelScope(deadline=when):
            return await call_next(ctx)
        raise MCPError(
            code=REQUEST_TIMEOUT,
            message=f"{ctx.method} was not answered within this server's request timeout; try again, or ask for less",
        )
