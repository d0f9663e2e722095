"""OAuth 2: this server as a resource server that accepts access tokens from one authorization server (RFC 9728).

Tokens are JSON Web Tokens that the issuer signed (RFC 9068).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import jwt
from jwt.algorithms import AllowedPublicKeys
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings

from server.errors import CallerError, brief
from server.http.issuer_keys import ALGORITHMS, IssuerKeys, KeyName, is_safe_address

logger = logging.getLogger(__name__)

MAX_TOKEN: Final = 16 * 1024
"""Characters of a token: twice what most proxies accept in headers. One of this length is verified in about 1 ms."""

Read = TypeVar("Read")


@dataclass(frozen=True)
class OAuthOptions:
    """Which access tokens are accepted.

    Attributes:
        issuer: URL of the authorization server, exactly as in the tokens' `iss`.
        resource: this server's public URL, which the tokens' `aud` must contain.
        scopes: scopes that a token must have, all of them.
        keys: URL of the issuer's key set (JWKS); None discovers it from the issuer's metadata.
    """

    issuer: str
    resource: str
    scopes: tuple[str, ...] = ()
    keys: str | None = None

    def settings(self) -> AuthSettings:
        """Return the settings that the SDK tells callers without a token: who issues tokens, and for which resource.

        Raises:
            CallerError: a URL is neither https nor on this machine.
        """
        for option, url in (
            ("--oauth-issuer", self.issuer),
            ("--oauth-resource", self.resource),
            ("--oauth-keys", self.keys),
        ):
            if url is not None and not is_safe_address(url):
                raise CallerError(
                    f"{option} got {brief(url)}; it must be an https URL, or an http URL on this machine; "
                    "give the whole URL"
                )
        # The SDK need not check the audience; the verifier does, with the rest of the token.
        return AuthSettings.model_validate(
            {
                "issuer_url": self.issuer,
                "resource_server_url": self.resource,
                "required_scopes": list(self.scopes),
                "validate_token_resource": False,
            }
        )


class OAuthTokens:
    """Verifies JSON Web Tokens of one issuer.

    Signatures are checked on the event loop. That takes 0.1 to 0.4 ms; a thread would add 0.1 ms, and callers might
    have to wait for a free one.
    """

    def __init__(self, options: OAuthOptions) -> None:
        """Prepare; the issuer is first contacted when the first token arrives."""
        self._options = options
        self._keys = IssuerKeys(options.issuer, options.keys)
        self._logged: set[type[Exception]] = set()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose token it is; None if it is not from this issuer, not for this resource, or not valid now."""
        name = self._attempt(lambda: _key_name(token)) if len(token) <= MAX_TOKEN else None
        key = await self._keys.find(name) if name else None
        if name is None or key is None:
            return None
        claims = self._attempt(lambda: self._claims(token, key, name.algorithm))
        return self._access(token, claims) if claims is not None else None

    def _attempt(self, read: Callable[[], Read]) -> Read | None:
        """Read from a token; None if the libraries raise, because the token is then invalid."""
        try:
            return read()
        except jwt.PyJWTError:
            return None
        except Exception as error:  # The libraries raise nearly anything for input made to break them.
            if type(error) not in self._logged:
                self._logged.add(type(error))
                # Without the error's message, which may repeat the token.
                logger.warning("refused a token because reading it raised %s", type(error).__name__)
            return None

    def _claims(self, token: str, key: AllowedPublicKeys, algorithm: str) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self._options.resource,
            issuer=self._options.issuer,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims

    def _access(self, token: str, claims: dict[str, Any]) -> AccessToken:
        subject = claims["sub"]
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or subject),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self._options.resource,
            subject=subject,
            claims=claims,
        )


def _key_name(token: str) -> KeyName | None:
    header = jwt.get_unverified_header(token)
    kid, algorithm = header.get("kid"), header.get("alg")
    # `alg` may be any JSON value; the membership test also rejects values that are not strings.
    return KeyName(kid, algorithm) if kid and algorithm in ALGORITHMS else None


def _scopes(claims: dict[str, Any]) -> list[str]:
    """`scope` is one string (RFC 8693); some issuers write a list under `scp`."""
    given = claims.get("scope", claims.get("scp"))
    if isinstance(given, str):
        return given.split()
    return [str(scope) for scope in given] if isinstance(given, list) else []
