"""What the server sends away: more requests than it can have under way, and those that take too long."""

from collections.abc import Iterable
from typing import Final

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.http.refusals import refusal

RETRY_AFTER: Final = 1
"""Seconds after which a caller that was sent away may try again."""


class Gate:
    """Lets in at most so many requests at a time; the others get 503 at once instead of waiting in line.

    A stream that a client holds open to listen (GET) has no limit of time and takes no place.
    """

    def __init__(self, app: ASGIApp, *, path: str, most_at_once: int, seconds: float) -> None:
        """Guard what `app` serves at `path`."""
        self._app = app
        self._path = path
        self._most = most_at_once
        self._seconds = seconds
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer for it."""
        if scope["type"] != "http" or scope["path"] != self._path or scope["method"] == "GET":
            await self._app(scope, receive, send)
            return
        wrong = _wrong_headers(scope["headers"])
        if wrong:
            await refusal(400, wrong, {"Connection": "close"})(scope, receive, send)
            return
        if self._under_way >= self._most:
            message = f"{self._most} requests are under way, which is all this server takes on at a time; try again"
            await refusal(503, message, {"Retry-After": str(RETRY_AFTER)})(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._within_time(scope, receive, send)
        finally:
            self._under_way -= 1

    async def _within_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        with anyio.move_on_after(self._seconds) as limit:
            await self._app(scope, receive, watched)
        if limit.cancelled_caught and not begun:
            message = f"the request was not answered within {self._seconds} seconds; try again, or ask for less"
            await refusal(504, message)(scope, receive, send)


def _wrong_headers(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """What is wrong with headers that the libraries below would fall over, or read otherwise than a proxy does."""
    headers = list(headers)
    names = {name for name, _ in headers}
    if {b"content-length", b"transfer-encoding"} <= names:
        return "the request has a Content-Length and a Transfer-Encoding; it has one length; send one of them"
    if not all(value.isascii() for name, value in headers if name.startswith((b"mcp-name", b"mcp-param-"))):
        return "an Mcp header has letters beyond ASCII; such values are written in base64; send it so"
    return None
