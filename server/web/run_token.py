"""A token in the address that lets in whoever was given the address, for as long as the process runs."""

import hmac
import secrets
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.web.paths import API, FILES, SHELL
from server.web.refusals import refusal

BYTES: Final = 24

REFUSED: Final = (
    "the request has no token of this run, or another one; the token is in the address that the command printed; open "
    "that address, or send the token as 'Authorization: Bearer TOKEN'"
)


def new_token() -> str:
    """A token that nobody can guess, of characters that need no escape in an address."""
    return secrets.token_urlsafe(BYTES)


class RunToken:
    """Lets in whoever has the token: in the path, as `/TOKEN/...`, or as the bearer token of a request to the API.

    The page's files are public below `/`, too, as in `serve --web`: they hold no data, and an address without the token
    can be given to others. Anything else is answered as if there were nothing.
    """

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        """Guard `app` with a token."""
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, without the token in its path, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given, slash, rest = scope["path"].removeprefix("/").partition("/")
        if self._is_token(given):
            inner: ASGIApp = self._app if slash else RedirectResponse(f"/{self._token}/", 308)
            await inner({**scope, "path": f"/{rest}"}, receive, send)
        else:
            await self._without_token_in_path(scope)(scope, receive, send)

    def _without_token_in_path(self, scope: Scope) -> ASGIApp:
        path = scope["path"]
        if path == SHELL or path.startswith(FILES):
            return self._app
        if not path.startswith(API):
            return refusal(404, "not found")
        scheme, _, given = Headers(scope=scope).get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(given.strip()):
            return self._app
        return refusal(401, REFUSED, {"WWW-Authenticate": "Bearer"})

    def _is_token(self, given: str) -> bool:
        # In constant time, so that nobody can find out a token character by character.
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token.encode())
