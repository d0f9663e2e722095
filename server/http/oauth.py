"""OAuth 2: access tokens of an authorization server, which this server checks as a resource server (RFC 9728)."""

import logging
import math
import time
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2
import jwt
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl, TypeAdapter

from server.errors import CallerError, brief

logger = logging.getLogger(__name__)

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures made with a private key alone; never "none", nor one whose key this server would have to share."""

_URL: Final = TypeAdapter(AnyHttpUrl)

SECONDS: Final = 5
"""For the authorization server to answer."""

METADATA: Final = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
"""Where an issuer names the address of its keys (RFC 8414; OpenID Connect Discovery)."""


@dataclass(frozen=True)
class OAuthOptions:
    """Whose tokens are taken.

    Attributes:
        issuer: address of the authorization server, as it stands in the tokens' `iss`.
        resource: this server's own public address, which the tokens' `aud` must hold.
        scopes: each of which a token must have.
        keys: address of the issuer's keys (JWKS); asked of the issuer when left out.
    """

    issuer: str
    resource: str
    scopes: tuple[str, ...] = ()
    keys: str | None = None

    def settings(self) -> AuthSettings:
        """What the SDK tells callers without a token: who issues tokens, and for which resource.

        Raises:
            CallerError: an address is not https, or of this machine.
        """
        for option, url in (
            ("--oauth-issuer", self.issuer),
            ("--oauth-resource", self.resource),
            ("--oauth-keys", self.keys),
        ):
            _check_url(option, url)
        # The audience is checked with the rest of the token.
        return AuthSettings.model_validate(
            {
                "issuer_url": self.issuer,
                "resource_server_url": self.resource,
                "required_scopes": list(self.scopes),
                "validate_token_resource": False,
            }
        )


class OAuthTokens:
    """Verifies JSON Web Tokens of one issuer (RFC 9068)."""

    def __init__(self, options: OAuthOptions) -> None:
        """Nothing is asked of the issuer before the first token comes."""
        self._options = options
        self._keys = _Keys(options)
        # One after the other: while the issuer does not answer, tokens do not take every thread.
        self._asking = anyio.CapacityLimiter(1)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Who bears a token; None for one that is not of this issuer, for this resource, and of now."""
        try:
            claims = await anyio.to_thread.run_sync(self._claims, token, limiter=self._asking)
        except (jwt.PyJWTError, ValueError):
            return None
        subject = claims.get("sub")
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or subject),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self._options.resource,
            subject=subject,
            claims=claims,
        )

    def _claims(self, token: str) -> dict[str, Any]:
        algorithm = jwt.get_unverified_header(token).get("alg")
        if algorithm not in ALGORITHMS:
            raise jwt.InvalidAlgorithmError
        claims: dict[str, Any] = jwt.decode(
            token,
            # The key itself: wrapped with what the issuer says of it, it verifies one algorithm of its kind alone.
            self._keys.get_signing_key_from_jwt(token).key,
            algorithms=[algorithm],
            audience=self._options.resource,
            issuer=self._options.issuer,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims


class _Keys(jwt.PyJWKClient):
    """The issuer's keys, asked for no more often than every few seconds where it does not answer with any."""

    def __init__(self, options: OAuthOptions) -> None:
        super().__init__(options.keys or options.issuer, timeout=SECONDS)
        self._options = options
        self._known = options.keys is not None
        self._failed = -math.inf

    def fetch_data(self) -> Any:
        if time.monotonic() - self._failed < SECONDS:
            raise jwt.PyJWKClientError("the issuer did not answer a moment ago; it is not asked for each token")
        try:
            if not self._known:
                self.uri = keys_address(self._options.issuer)
                self._known = True
            return super().fetch_data()
        except (jwt.PyJWTError, ValueError) as error:
            self._failed = time.monotonic()
            logger.error("tokens cannot be verified: %s", error)
            raise jwt.PyJWKClientError(str(error)) from error


def keys_address(issuer: str) -> str:
    """The `jwks_uri` of an issuer.

    Raises:
        jwt.PyJWKClientConnectionError: it does not say.
    """
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    for known in METADATA:
        # RFC 8414 puts the issuer's path after the well-known one, OpenID Connect before it.
        for address in dict.fromkeys((f"{base}{known}{path}", f"{base}{path}{known}")):
            found = _jwks_uri(address, issuer)
            if found:
                return found
    raise jwt.PyJWKClientConnectionError(f"the issuer {issuer!r} names no keys at {' or '.join(METADATA)}")


def _jwks_uri(address: str, issuer: str) -> str | None:
    try:
        metadata = httpx2.get(address, timeout=SECONDS).raise_for_status().json()
    except (httpx2.HTTPError, ValueError):
        return None
    if not isinstance(metadata, dict) or metadata.get("issuer") != issuer:
        return None
    uri = metadata.get("jwks_uri")
    return uri if isinstance(uri, str) and urlsplit(uri).scheme in ("http", "https") else None


def _scopes(claims: dict[str, Any]) -> list[str]:
    """`scope` is one string (RFC 8693); some issuers write a list under `scp`."""
    given = claims.get("scope", claims.get("scp"))
    if isinstance(given, str):
        return given.split()
    return [str(scope) for scope in given] if isinstance(given, list) else []


def _check_url(option: str, url: str | None) -> None:
    if url is None:
        return
    try:
        parts = urlsplit(url)
        _URL.validate_python(url)
    except ValueError:
        parts = urlsplit("")
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and local)):
        raise CallerError(
            f"{option} got {brief(url)}; it is an https address, or an http one of this machine; give the whole address"
        )
