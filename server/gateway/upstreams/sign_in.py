"""Signs in to an upstream: opens the browser, and waits on a loopback address for its redirect."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import parse_qs, urlsplit

import anyio
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError

from server.errors import CallerError, brief
from server.gateway.configuration.upstream_config import UpstreamConfig, redacted
from server.gateway.upstreams.connection import connect
from server.gateway.upstreams.failures import reason
from server.gateway.upstreams.states import DEFAULT_LIMITS
from server.gateway.upstreams.stored_login import LoginFile, client_metadata
from server.gateway.upstreams.transports.http import HttpTransport
from server.gateway.upstreams.transports.noise import quiet_sdk

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
