"""A token in the address that lets in whoever was given the address, for as long as the process runs."""

import hmac
import secrets

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.web.refusals import refusal

BYTES = 24


def new_token() -> str:
    """A token that nobody can guess, of characters that need no escape in an address."""
    return secrets.token_urlsafe(BYTES)


class RunToken:
    """Serves an application below `/TOKEN/`; anything else is answered as if there were nothing."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        """Guard `app` with a token."""
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on without the token in its path, or answer it with 404."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given, slash, rest = scope["path"].removeprefix("/").partition("/")
        # In constant time, so that nobody can find out a token character by character.
        if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token.encode()):
            await refusal(404, "not found")(scope, receive, send)
        elif not slash:
            await RedirectResponse(f"/{self._token}/", 308)(scope, receive, send)
        else:
            await self._app({**scope, "path": f"/{rest}"}, receive, send)
