"""The limits of requests over HTTP: how many at a time, how large a body, how much time."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import anyio
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import brief
from server.http.requests import error_response, set_deadline

RETRY_AFTER: Final = 1
"""Seconds after which a refused caller may try again."""

MAX_OPENING: Final = 16 * 1024
"""Bytes of the request that opens a session, which keeps what it says about the client; real hosts send about 500."""

GRACE: Final = 0.5
"""Extra seconds in which a stream can answer a late request itself, before the connection is cut."""


Refuse = Callable[[int, str, Mapping[str, str] | None], Response]
"""Makes the response to a request that is refused: from a status, a message and headers."""


@dataclass(frozen=True)
class LimitedPaths:
    """Paths besides MCP's whose requests count and have a timeout, those by GET included.

    Attributes:
        prefix: what they begin with.
        refuse: makes the response to a request that a limit refuses.
    """

    prefix: str
    refuse: Refuse


class RequestLimits:
    """Limits the concurrent requests; further ones get 503 at once instead of waiting.

    A stream that a client keeps open to listen (GET) has no timeout and does not count.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        path: str,
        max_concurrency: int,
        max_body: int,
        request_timeout: float,
        sessions: bool = False,
        streams: bool = False,
        also: LimitedPaths | None = None,
    ) -> None:
        """Guard `path` of `app`.

        Args:
            app: the application.
            path: its endpoint.
            max_concurrency: maximum concurrent requests.
            max_body: maximum bytes of a body (`--max-body`, 1 MiB unless told otherwise).
            request_timeout: maximum seconds for an answer.
            sessions: requests can open a session.
            streams: answers begin at once, so that a late request is ended within its answer.
            also: other paths that count and have a timeout; the application limits their bodies itself.
        """
        self._app = app
        self._any_request = RequestBodyLimitMiddleware(app, max_body)
        self._opening = RequestBodyLimitMiddleware(app, min(max_body, MAX_OPENING))
        self._path = path
        self._max_concurrency = max_concurrency
        self._request_timeout = request_timeout
        self._sessions = sessions
        self._grace = GRACE if streams else 0
        self._also = also
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 503 or 504."""
        refuse = self._refusal_for(scope) if scope["type"] == "http" else None
        if refuse is None:
            await self._app(scope, receive, send)
            return
        if self._under_way >= self._max_concurrency:
            message = f"{self._max_concurrency} requests are under way, which is this server's limit; try again later"
            await refuse(503, message, {"Retry-After": str(RETRY_AFTER)})(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._within_time(refuse, scope, receive, send)
        finally:
            self._under_way -= 1

    def _refusal_for(self, scope: Scope) -> Refuse | None:
        """Return the function that answers a refused request; None if it has no limits."""
        if scope["path"] == self._path:
            return error_response if scope["method"] != "GET" else None
        return self._also.refuse if self._also and scope["path"].startswith(self._also.prefix) else None

    def _guarded(self, scope: Scope) -> ASGIApp:
        """Return the application with the limit of the request's body."""
        if scope["path"] != self._path:
            return self._app
        return self._opening if self._sessions and _opens_a_session(scope) else self._any_request

    async def _within_time(self, refuse: Refuse, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting_begin(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        set_deadline(scope, anyio.current_time() + self._request_timeout)
        with anyio.move_on_after(self._request_timeout + self._grace) as limit:
            await self._guarded(scope)(scope, receive, noting_begin)
        if limit.cancelled_caught and not begun:
            message = f"the request was not answered within {self._request_timeout} seconds; try again, or ask for less"
            await refuse(504, message, None)(scope, receive, send)


def _opens_a_session(scope: Scope) -> bool:
    """Return whether a request has neither a session nor a protocol version without sessions."""
    headers = Headers(scope=scope)
    modern = headers.get(MCP_PROTOCOL_VERSION_HEADER) in MODERN_PROTOCOL_VERSIONS
    return not modern and MCP_SESSION_ID_HEADER not in headers


ASCII_ONLY: Final = b"mcp-"
"""Prefix of the headers by which MCP routes a request; their values must be ASCII."""


_NAMED: Final = {b"host": 421, b"origin": 403}
"""Headers that name a server, with the status of a request whose header has a port that is no number."""

_PORT: Final = re.compile(rb"(?:[a-z]+://)?(?:\[[^\]]*\]|[^:]*)(?::[0-9]{1,5})?")


class UnambiguousHeaders:
    """Refuses a request whose headers two readers would understand differently, and closes its connection.

    These are two lengths, non-ASCII routing headers, and a server with more than a number for its port: what is
    compared with known hosts by its beginning could be another host. A proxy that uses the other length would take the
    rest of the body for the next request. So nothing more is read from the connection.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Guard all paths of `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with 400, 403 or 421."""
        fault = _fault(scope["headers"]) if scope["type"] == "http" else None
        if fault:
            await error_response(*fault, {"Connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _fault(headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, str] | None:
    """Return the status and the message of a refusal."""
    headers = list(headers)
    names = {name for name, _ in headers}
    if {b"content-length", b"transfer-encoding"} <= names:
        return 400, (
            "the request has both Content-Length and Transfer-Encoding; only one may give its length; send one of them"
        )
    for name, value in headers:
        if name.startswith(ASCII_ONLY) and not value.isascii():
            told = f"the header {name.decode()} has non-ASCII characters; such values must be base64; encode the value"
            return 400, told
        if name in _NAMED and not _PORT.fullmatch(value):
            given = brief(value.decode("latin-1"))
            return _NAMED[name], f"the header {name.decode()} is {given}; its port must be a number; send an address"
    return None
