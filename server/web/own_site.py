"""Refuses requests that another site makes, or that use a name of this server that is not its own (DNS rebinding)."""

from typing import Final

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from server.errors import brief
from server.web.paths import API
from server.web.refusals import refusal

NEXT_STEP: Final = "open the page at its own address, or let the server's operator allow this one"


class OwnSite:
    """Guards an application by the headers Host, Origin and Sec-Fetch-Site, as MCP is guarded by the first two."""

    def __init__(self, app: ASGIApp, *, settings: TransportSecuritySettings) -> None:
        """Guard `app`.

        Args:
            app: the application.
            settings: hosts and origins that may be named. The page's own origin, under a host that may be named,
                needs no mention.
        """
        self._app = app
        self._protection = TransportSecurityMiddleware(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with 403."""
        fault = await self._fault(scope) if scope["type"] == "http" else None
        app = refusal(403, fault) if fault else self._app
        await app(scope, receive, send)

    async def _fault(self, scope: Scope) -> str | None:
        request = Request(scope)
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if await self._protection.validate_request(_without_origin(scope)):
            return f"the request names the host {brief(host)}; this server does not answer under this name; {NEXT_STEP}"
        if origin in (f"http://{host}", f"https://{host}"):
            return None
        if origin and await self._protection.validate_request(request):
            return (
                f"the request comes from the origin {brief(origin)}; pages of other origins may not ask here; "
                f"{NEXT_STEP}"
            )
        site = request.headers.get("Sec-Fetch-Site")
        if site == "cross-site" and not origin and scope["path"].startswith(API):
            return f"the request comes from another site ({site}); only the page itself may ask here; {NEXT_STEP}"
        return None


def _without_origin(scope: Scope) -> Request:
    """The request without its origin, so that the host alone is judged."""
    return Request({**scope, "headers": [header for header in scope["headers"] if header[0] != b"origin"]})
