"""Gives HTTP requests ids, so that a caller's request can be found in the log, and reports the status of each.

A session answers on a stream and sends its status at once. When such a request takes too long, it is too late for a
status of 504, so this module ends the request with a JSON-RPC error.
"""

import re
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import REQUEST_TIMEOUT
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER: Final = "X-Request-Id"

_KEY: Final = "agent-capabilities.request-id"
_USABLE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""An id from a proxy or client that is used as it is, because it cannot break a log line."""


@dataclass(frozen=True)
class HttpObservation:
    """One HTTP request.

    Attributes:
        request: the request's id.
        status: status of the response; 0 if the client disconnected before there was one.
        seconds: time from the request to the end of its response.
    """

    request: str
    status: int
    seconds: float


HttpObserver = Callable[[HttpObservation], None]


def request_id(scope: Scope) -> str | None:
    """Return the id of a request; None if it did not pass through `HttpRequests`."""
    found: str | None = scope.get(_KEY)
    return found


class HttpRequests:
    """Gives every request an id, which its response repeats, and calls observers with its status."""

    def __init__(self, app: ASGIApp, *, observers: Sequence[HttpObserver], ignored: Collection[str] = ()) -> None:
        """Wrap `app`. Observers are not called for the paths `ignored`, which supervisors request all the time."""
        self._app = app
        self._observers = observers
        self._ignored = ignored

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        own = given if _USABLE.fullmatch(given) else uuid.uuid4().hex
        status, start = 0, time.perf_counter()

        gone = False

        async def noting_disconnect() -> Message:
            nonlocal gone
            message = await receive()
            # From here on, nothing that is sent reaches the client.
            gone = gone or (message["type"] == "http.disconnect" and not status)
            return message

        async def adding_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = own
            await send(message)

        # In this scope, not a copy: the outer handler that answers faults also needs the id.
        scope[_KEY] = own
        try:
            await self._app(scope, noting_disconnect, adding_id)
        except Exception:
            status = status or 500
            raise
        finally:
            for observer in () if scope["path"] in self._ignored else self._observers:
                observer(HttpObservation(own, 0 if gone else status, time.perf_counter() - start))


REFUSED: Final = -32000
"""JSON-RPC code, from the range reserved for servers, of a request that this server refuses."""


def error_response(
    status: int, message: str, headers: Mapping[str, str] | None = None, code: int = REFUSED
) -> JSONResponse:
    """Return a JSON-RPC error; its id is null because the request was not parsed."""
    error: dict[str, Any] = {"code": code, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=status, headers=headers)


_DEADLINE_KEY: Final = "agent-capabilities.deadline"


def set_deadline(scope: Scope, when: float) -> None:
    """Store the time by which a request must be answered, on the clock of `anyio.current_time`."""
    scope[_DEADLINE_KEY] = when


class Deadline(ServerMiddleware[Any]):
    """Ends a request with a JSON-RPC error when its time is up."""

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass a message on, and stop waiting at its request's deadline.

        Raises:
            MCPError: the time is up.
        """
        when = ctx.request.scope.get(_DEADLINE_KEY) if ctx.request is not None and ctx.request_id is not None else None
        if when is None:
            return await call_next(ctx)
        with anyio.CancelScope(deadline=when):
            return await call_next(ctx)
        raise MCPError(
            code=REQUEST_TIMEOUT,
            message=f"{ctx.method} was not answered within this server's request timeout; try again, or ask for less",
        )
