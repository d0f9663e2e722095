"""Which access tokens are accepted, and which URLs of an issuer are safe to use."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl, TypeAdapter

from server.errors import CallerError, brief

THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")
"""Hosts that need no encryption, because the traffic stays on this machine."""

_URL: Final = TypeAdapter(AnyHttpUrl)


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


def is_safe_address(url: str) -> bool:
    """Return whether nobody between here and a URL can change its answers: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        _URL.validate_python(url)
    except ValueError:
        return False
    local = parts.scheme == "http" and parts.hostname in THIS_MACHINE
    return bool(parts.hostname) and (parts.scheme == "https" or local)
