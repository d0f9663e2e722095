"""Authorizes requests with a stored login, refreshed when needed; signing in anew is left to `gateway login`."""

from collections.abc import AsyncGenerator
from typing import Final

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import OAuthClientMetadata
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from pydantic import AnyUrl

from server import SERVER_NAME
from server.files import Stamp, file_stamp
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.oauth.login_file import LoginFile

_UNAUTHORIZED: Final = 401


def stored_login(config: UpstreamConfig) -> httpx2.Auth | None:
    """What authorizes the requests to an upstream; None without a login, or where its headers already do."""
    if config.url is None or any(name.casefold() == "authorization" for name in config.headers):
        return None
    file = LoginFile(config)
    return StoredLogin(config.url, file) if file.load() else None


def login_stamp(config: UpstreamConfig) -> Stamp | None:
    """A value that changes with each sign-in to an upstream."""
    return file_stamp(LoginFile(config).path) if config.url is not None else None


def client_metadata(redirect: str) -> OAuthClientMetadata:
    """How the gateway describes itself to an authorization server."""
    return OAuthClientMetadata(
        client_name=f"{SERVER_NAME} gateway",
        redirect_uris=[AnyUrl(redirect)],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",  # noqa: S106 -- a public client, which has no secret
    )


class StoredLogin(OAuthClientProvider):
    """Adds the access token. The SDK's own flow would register a client and wait for a person at any 401."""

    def __init__(self, url: str, file: LoginFile):
        super().__init__(url, client_metadata("http://127.0.0.1/callback"), file)
        self._file = file

    async def _initialize(self) -> None:
        await super()._initialize()
        self.context.oauth_metadata, self.context.token_expiry_time = self._file.metadata, self._file.expires

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        context = self.context
        async with context.lock:
            if not self._initialized:
                await self._initialize()
            context.protocol_version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
            if not context.is_token_valid() and context.can_refresh_token():
                await self._handle_refresh_response((yield await self._refresh_token()))
        used = context.current_tokens
        self._add_auth_header(request)
        # The lock is free while the request is answered, which may take as long as a call.
        response = yield request
        if response.status_code != _UNAUTHORIZED:
            return
        async with context.lock:
            if context.current_tokens is used and context.can_refresh_token():
                await self._handle_refresh_response((yield await self._refresh_token()))
        if context.current_tokens in (None, used):
            # Otherwise httpx would take the authorization server's answer for the server's.
            raise OAuthFlowError("the stored login is no longer valid")
        # The server refused the request before it did anything.
        self._add_auth_header(request)
        yield request
