"""Refusals of the page's requests: a status, and JSON with one message in three parts."""

import logging
from collections.abc import Collection, Mapping
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from embeddings.errors import PhraseBookError, PhraseError, StoreError
from server.errors import CallerError, brief

logger = logging.getLogger(__name__)

CALLER_MISTAKES: Final = (CallerError, PhraseError, PhraseBookError)


class RefusedError(Exception):
    """A request is not answered.

    Attributes:
        status: of the response.
        headers: of the response.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response to a request that is refused."""
    return JSONResponse({"error": message}, status_code=status, headers=headers)


def answer_to(error: Exception) -> Response:
    """Return the response to a request that failed; a fault of the server is logged."""
    if isinstance(error, RefusedError):
        return refusal(error.status, str(error), error.headers)
    if isinstance(error, CALLER_MISTAKES):
        return refusal(400, str(error))
    if isinstance(error, StoreError):
        return refusal(503, str(error), {"Retry-After": "5"})
    logger.error("the page's request failed", exc_info=error)
    return refusal(500, "the server failed; a request that it can answer does not fail; its log says why")


async def refuse_path(request: Request, error: Exception) -> Response:
    """Return the response to a path or a method that there is not."""
    if not isinstance(error, HTTPException):
        return answer_to(error)
    if error.status_code == 405:
        known = (error.headers or {}).get("Allow", "GET")
        message = f"the method {request.method} is not for this address; it takes {known}; use one of these"
    else:
        message = f"there is nothing at {brief(request.url.path)}; the page is at the base of these addresses; open it"
    return refusal(error.status_code, message, error.headers)


HANDLERS: Final[Any] = {HTTPException: refuse_path}
"""Exception handlers of the application."""


POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "font")),
        *(f"{kind} 'none'" for kind in ("base-uri", "form-action", "frame-ancestors")),
    )
)
"""Content-Security-Policy: files of this server alone, no inline script or style, no frame around the page."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

WELL_KNOWN: Final = "/.well-known/"


class SecurityHeaders:
    """Adds the headers to every response, errors included; what does not say otherwise must not be stored."""

    def __init__(self, app: ASGIApp, *, spared: Collection[str] = ()) -> None:
        """Wrap `app`, whose paths `spared` are not the page's."""
        self._app = app
        self._spared = spared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def adding_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        ours = scope["type"] == "http" and not self._is_spared(scope["path"])
        await self._app(scope, receive, adding_headers if ours else send)

    def _is_spared(self, path: str) -> bool:
        return path in self._spared or (bool(self._spared) and path.startswith(WELL_KNOWN))


SHELL: Final = "/"
FILES: Final = "/page/"
API: Final = "/api/"


def collides(path: str) -> bool:
    """Return whether a path of MCP would be one of the page's."""
    return path == SHELL or any(f"{path}/".startswith(prefix) for prefix in (FILES, API))
