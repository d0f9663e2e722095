"""Signs in to an upstream: opens the browser, and waits on a loopback address for its redirect.

The login is stored in a file that only the user can read.
"""

import asyncio
import hashlib
import json
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from platformdirs import user_data_dir
from pydantic import AnyUrl

from embeddings.files import make_private_folder, read_text
from server import SERVER_NAME
from server.errors import CallerError, brief
from server.files import Stamp, file_stamp
from server.gateway.configuration.upstream_config import UpstreamConfig, redacted
from server.gateway.upstreams.connection import connect
from server.gateway.upstreams.http import HttpTransport
from server.gateway.upstreams.noise import quiet_sdk
from server.gateway.upstreams.states import DEFAULT_LIMITS, reason

LOGINS_VARIABLE: Final = "AGENT_CAPABILITIES_LOGINS"
"""The environment variable that names the folder of logins."""

_MAX_BYTES: Final = 1 << 20


class LoginFile:
    """The stored login of one upstream; the SDK's storage of tokens.

    Attributes:
        path: of the file. Its name says nothing about the upstream.
        metadata: of the authorization server, which the SDK would otherwise guess when it refreshes a token.
        expires: when the access token expires, in seconds since 1970.
    """

    def __init__(self, config: UpstreamConfig):
        digest = hashlib.sha256(f"{config.name}\0{config.url}".encode()).hexdigest()
        self.path = logins_folder() / f"{digest[:32]}.json"
        self.metadata: OAuthMetadata | None = None
        self.expires: float | None = None
        self._tokens: OAuthToken | None = None
        self._client: OAuthClientInformationFull | None = None

    def load(self) -> bool:
        """Read the file; False if there is no usable one."""
        try:
            stored: dict[str, Any] = json.loads(read_text(self.path, _MAX_BYTES))
            self._tokens = OAuthToken.model_validate(stored["tokens"])
            self._client = OAuthClientInformationFull.model_validate(stored["client"])
            self.metadata = OAuthMetadata.model_validate(stored["metadata"]) if "metadata" in stored else None
            self.expires = stored.get("expires")
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return False
        return True

    def save(self) -> None:
        """Write the file in one step.

        Raises:
            OSError: it cannot be written.
        """
        stored: dict[str, Any] = {}
        for name, model in (("tokens", self._tokens), ("client", self._client), ("metadata", self.metadata)):
            if model is not None:
                stored[name] = model.model_dump(mode="json", exclude_none=True)
        if self.expires is not None:
            stored["expires"] = self.expires
        _write_private(self.path, json.dumps(stored).encode())

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens, also in the file."""
        self._tokens = tokens
        self.expires = time.time() + tokens.expires_in if tokens.expires_in is not None else None
        self.save()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client as it is registered."""
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a registration; it is written with the tokens."""
        self._client = client_info


def logins_folder() -> Path:
    """Return the folder of logins: from the environment, else in the user's data folder."""
    chosen = os.environ.get(LOGINS_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(user_data_dir(SERVER_NAME, appauthor=False)) / "logins"


def _write_private(path: Path, content: bytes) -> None:
    make_private_folder(path.parent)
    path.parent.chmod(0o700)
    # mkstemp makes a file that only its owner can read and write.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


_UNAUTHORIZED: Final = 401


def stored_login(config: UpstreamConfig) -> httpx2.Auth | None:
    """Return the authorization of the requests to an upstream.

    None without a login, or where its headers already do.
    """
    if config.url is None or any(name.casefold() == "authorization" for name in config.headers):
        return None
    file = LoginFile(config)
    return StoredLogin(config.url, file) if file.load() else None


def login_stamp(config: UpstreamConfig) -> Stamp | None:
    """Return a value that changes with each sign-in to an upstream."""
    return file_stamp(LoginFile(config).path) if config.url is not None else None


def client_metadata(redirect: str) -> OAuthClientMetadata:
    """Return how the gateway describes itself to an authorization server."""
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


TO_SIGN_IN: Final = 300.0
"""Seconds that a person has."""

_HEAD: Final = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
_PAGE: Final = "<!doctype html><title>Signed in</title><p>{text} You can close this page."


async def login(
    config: UpstreamConfig, open_browser: Callable[[str], object], port: int = 0, seconds: float = TO_SIGN_IN
) -> bool:
    """Sign in to an upstream and store its tokens.

    Args:
        config: the upstream.
        open_browser: shows a page to the user.
        port: of the loopback address to which the browser comes back; any free one when 0.
        seconds: that the user has.

    Returns:
        False if the server can be used without signing in.

    Raises:
        CallerError: the upstream has no URL, or signing in failed.
        OSError: the port is taken, or the login cannot be stored.
    """
    if config.url is None:
        raise CallerError(
            f"server {brief(config.name)} is a local command; only servers with a url can be signed in to; start the "
            "gateway without signing in"
        )
    quiet_sdk(config.secrets)
    file = _NewLogin(config)
    refusals: list[str] = []
    async with _redirects(port) as (address, came_back):
        shown: list[str] = []

        async def show(url: str) -> None:
            if shown:
                # The SDK connects again in another way, which must not ask the user again.
                raise OAuthFlowError("the sign-in was not completed")
            shown.append(url)
            file.metadata = provider.context.oauth_metadata
            open_browser(url)

        async def come_back() -> AuthorizationCodeResult:
            try:
                return await came_back
            except OAuthFlowError as error:
                refusals.append(str(error))
                raise

        provider = OAuthClientProvider(config.url, client_metadata(address), file, show, come_back)
        why = await _try(config, provider, seconds)
        why = refusals[0] if refusals else why
    if why and not file.complete:
        raise CallerError(
            f"signing in to server {brief(config.name)} failed ({redacted(why, config.secrets)}); its authorization "
            "server must let the gateway register and the user agree; try again, or ask who runs the server"
        )
    return file.complete


class _NewLogin(LoginFile):
    """A login that begins with nothing known, because a registration fits only the address it was made for."""

    @property
    def complete(self) -> bool:
        """Whether there are tokens."""
        return self._tokens is not None


async def _try(config: UpstreamConfig, provider: OAuthClientProvider, seconds: float) -> str:
    """Connect with the provider, which signs in when the server demands it; why that failed."""
    why = f"not finished within {seconds:g} seconds"
    with anyio.move_on_after(seconds):
        for sse in (True,) if config.transport == "sse" else (False, True):
            transport = HttpTransport(config, DEFAULT_LIMITS.message, provider, sse=sse)
            try:
                async with connect(transport, "auto", several_callers=False):
                    return ""
            except Exception as error:
                why = transport.why or reason(error)[1]
            if not transport.refused:
                break
    return why


@asynccontextmanager
async def _redirects(port: int) -> AsyncGenerator[tuple[str, "asyncio.Future[AuthorizationCodeResult]"]]:
    """Yield a server for the browser's way back: its address, and what it brings."""
    result: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with anyio.fail_after(10):
                line = (await reader.readline()).decode(errors="replace")
            target = urlsplit(line.split(" ")[1]) if line.count(" ") >= 2 else urlsplit("")
            if target.path != "/callback":
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            query = {name: values[0] for name, values in parse_qs(target.query).items()}
            body = _PAGE.format(text="You are signed in." if "code" in query else "Signing in failed.").encode()
            writer.write(_HEAD.format(length=len(body)).encode() + body)
            await writer.drain()
            _settle(result, query)
        except (OSError, ValueError, TimeoutError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback", result
    finally:
        server.close()
        result.cancel()


def _settle(result: "asyncio.Future[AuthorizationCodeResult]", query: dict[str, str]) -> None:
    """Take what the browser brings."""
    if result.done():
        return
    if "code" in query:
        result.set_result(AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss")))
    else:
        why = f"the authorization server answered {brief(query.get('error', 'nothing'))}"
        result.set_exception(OAuthFlowError(why))
