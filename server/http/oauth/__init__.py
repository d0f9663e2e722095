"""OAuth 2: this server as a resource server that accepts access tokens from one authorization server (RFC 9728)."""

from server.http.oauth.options import OAuthOptions
from server.http.oauth.verifier import OAuthTokens

__all__ = ["OAuthOptions", "OAuthTokens"]
