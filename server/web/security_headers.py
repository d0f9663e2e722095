"""Headers that keep a browser from doing anything that the page has no need of."""

from collections.abc import Collection
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
