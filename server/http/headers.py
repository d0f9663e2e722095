"""Refuses requests, at any path, with headers that a proxy and this server could understand differently."""

from collections.abc import Iterable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from server.http.errors import error_response

ASCII_ONLY: Final = b"mcp-"
"""Prefix of the headers by which MCP routes a request; their values must be ASCII."""


class UnambiguousHeaders:
    """Refuses a request with two lengths or with non-ASCII routing headers, and closes its connection.

    A proxy that uses the other length would take the rest of the body for the next request. So nothing more is read
    from the connection.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Guard all paths of `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with 400."""
        fault = _fault(scope["headers"]) if scope["type"] == "http" else None
        if fault:
            await error_response(400, fault, {"Connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _fault(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    headers = list(headers)
    names = {name for name, _ in headers}
    if {b"content-length", b"transfer-encoding"} <= names:
        return (
            "the request has both Content-Length and Transfer-Encoding; only one may give its length; send one of them"
        )
    for name, value in headers:
        if name.startswith(ASCII_ONLY) and not value.isascii():
            return f"the header {name.decode()} has non-ASCII characters; such values must be base64; encode the value"
    return None
