"""Who may ask for what: everyone in `inspect`; in `serve` the callers of MCP, under the same allowlist."""

from collections.abc import Callable, Sequence
from typing import Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.requests import Request

from server.tools.families import CHOOSABLE
from server.web.refusals import RefusedError


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
        """All families."""
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
        """The families of the token's name.

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
