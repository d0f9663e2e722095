"""Access to the page's answers: everyone in `inspect`; in `serve` the callers of MCP, under the same allowlist."""

import hmac
import secrets
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.errors import brief
from server.tools.families import CHOOSABLE
from server.web.refusals import API, RefusedError, refusal


class Access(Protocol):
    """Tells what a caller may use."""

    def families(self, request: Request) -> Sequence[str]:
        """Families of tools that the caller may use; what tells the same on the page is permitted with them.

        Raises:
            RefusedError: the caller may use nothing.
        """


class Everyone:
    """Permits everything."""

    def families(self, _: Request) -> Sequence[str]:
        """Return all families."""
        return CHOOSABLE


class Callers:
    """Permits what the server's allowlist permits over MCP."""

    def __init__(
        self, permitted: Callable[[str | None], Sequence[str]], *, tokens: bool, scopes: Sequence[str] = ()
    ) -> None:
        """Ask for tokens if the server does.

        Args:
            permitted: families that an identity may use; None is a caller without one.
            tokens: whether callers need a token. The application has verified it before.
            scopes: scopes that a token must have.
        """
        self._permitted = permitted
        self._tokens = tokens
        self._scopes = scopes

    def families(self, request: Request) -> Sequence[str]:
        """Return the families of the token's name.

        Raises:
            RefusedError: there is no valid token, or it lacks a scope.
        """
        return self._permitted(self._identity(request) if self._tokens else None)

    def _identity(self, request: Request) -> str:
        user = request.scope.get("user")
        if not isinstance(user, AuthenticatedUser):
            raise RefusedError(
                401,
                "the request has no valid token; this server answers only callers with a token of its own; send it as "
                "'Authorization: Bearer TOKEN'",
                {"WWW-Authenticate": "Bearer"},
            )
        missing = [scope for scope in self._scopes if scope not in user.scopes]
        if missing:
            raise RefusedError(
                403,
                f"the token lacks the scope {missing[0]!r}; it must have {', '.join(self._scopes)}; ask its issuer for "
                "one that has",
            )
        return user.access_token.client_id


BYTES: Final = 24

_BEARER: Final = "bearer"


def new_token() -> str:
    """Return a token that nobody can guess, of characters that need no escape in an address."""
    return secrets.token_urlsafe(BYTES)


class RunToken:
    """Serves an application below `/TOKEN/`, and below `/` to requests that send the token.

    The page itself holds no data, so its files need no token at `/`, and an address that is given to others has none.
    """

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        """Guard `app` with a token."""
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, without the token in its path; answer one for data without a token with 401."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given, slash, rest = scope["path"].removeprefix("/").partition("/")
        if self._is_token(given):
            app = self._app if slash else RedirectResponse(f"/{self._token}/", 308)
            await app({**scope, "path": f"/{rest}"}, receive, send)
        elif scope["path"].startswith(API) and not self._sends_token(scope):
            await _no_token()(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _sends_token(self, scope: Scope) -> bool:
        kind, _, given = Headers(scope=scope).get("Authorization", "").partition(" ")
        return kind.casefold() == _BEARER and self._is_token(given.strip())

    def _is_token(self, given: str) -> bool:
        # In constant time, so that nobody can find out a token character by character.
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token.encode())


def _no_token() -> ASGIApp:
    return refusal(
        401,
        "the request has no valid token; this page answers only with the token of its run; open the address that "
        "`inspect` printed, or send the token as 'Authorization: Bearer TOKEN'",
        {"WWW-Authenticate": "Bearer"},
    )


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
    """Return the request without its origin, so that the host alone is judged."""
    return Request({**scope, "headers": [header for header in scope["headers"] if header[0] != b"origin"]})
