"""A token for as long as the process runs: in the address that is printed, or sent with each request."""

import hmac
import secrets
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.web.paths import API
from server.web.refusals import refusal

BYTES: Final = 24

_BEARER: Final = "bearer"


def new_token() -> str:
    """A token that nobody can guess, of characters that need no escape in an address."""
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
