"""An upstream over streamable HTTP or legacy SSE."""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import anyio
import anyio.abc
import httpx2
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.client.auth import OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import request_within_origin, sse_within_origin
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND

from server.errors import brief
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.message_costs import MAX_VALUES, EventValues, count_values, values_error
from server.gateway.upstreams.messages import UNAUTHORIZED, UNREACHABLE, read_message, size_error

Received = MemoryObjectSendStream[SessionMessage | Exception]


@asynccontextmanager
async def sse_streams(
    client: httpx2.AsyncClient, url: str, most: int, failed: Callable[[str], None]
) -> AsyncGenerator[TransportStreams]:
    """Connect to a server of legacy SSE.

    Args:
        client: with the headers and the authorization of requests.
        url: of the event stream.
        most: bytes of an event.
        failed: called with the reason when the connection can no longer be used.

    Raises:
        httpx2.HTTPError: the event stream cannot be opened.
        ConnectionError: it does not say where messages go.
    """
    received, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, sent = anyio.create_memory_object_stream[SessionMessage](0)
    async with received, read, write, sent, anyio.create_task_group() as tasks:
        endpoint = await tasks.start(_receive, client, url, most, received, failed)
        tasks.start_soon(_send, client, endpoint, sent, failed)
        yield read, write
        tasks.cancel_scope.cancel()


async def _receive(
    client: httpx2.AsyncClient,
    url: str,
    most: int,
    received: Received,
    failed: Callable[[str], None],
    *,
    task_status: anyio.abc.TaskStatus[str],
) -> None:
    async with received, sse_within_origin(client, url, max_event_size=most) as events:
        events.response.raise_for_status()
        known = False
        try:
            async for event in events:
                if event.event == "endpoint" and not known:
                    known = True
                    task_status.started(_endpoint(url, event.data))
                elif event.event == "message" and event.data:
                    message = read_message(event.data.encode(), most)
                    if message is not None:
                        await received.send(message)
        except httpx2.HTTPError as error:
            if not known:
                raise
            failed(f"{type(error).__name__}: {error}".rstrip(": "))
        if not known:
            raise ConnectionError("the event stream does not say where messages go")


def _endpoint(url: str, told: str) -> str:
    """Return where messages go, which must be at the same server: requests carry the credentials for it."""
    endpoint = urljoin(url, told)
    if urlsplit(endpoint)[:2] != urlsplit(url)[:2]:
        raise ConnectionError("the event stream sends messages to another server")
    return endpoint


async def _send(
    client: httpx2.AsyncClient,
    endpoint: str,
    sent: MemoryObjectReceiveStream[SessionMessage],
    failed: Callable[[str], None],
) -> None:
    async for message in sent:
        content = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        response = await request_within_origin(client, "POST", endpoint, json=content)
        if response.is_error and isinstance(message.message, types.JSONRPCRequest):
            failed(f"HTTP {response.status_code} {response.reason_phrase}".strip())
            return


_SESSION: Final = "mcp-session-id"
_TO_CONNECT: Final = 30.0
_TO_READ: Final = 3600.0
_TO_END_SESSION: Final = 2.0
_NO_SUCH_ENDPOINT: Final = (400, 404, 405)
"""Statuses with which a server of legacy SSE may answer a POST."""
_GATEWAY_ERRORS: Final = (502, 503, 504)
_PLAIN: Final = "identity"
_GZIP: Final = ("gzip", "x-gzip")
_GZIP_FORMAT: Final = zlib.MAX_WBITS + 16
_PIECE: Final = 64 * 1024
"""Bytes that are unpacked at a time: a small part of a body can become a thousand times as large."""


class HttpTransport:
    """Exchanges messages with a server over HTTP.

    Attributes:
        why: why the connection ended, once it has.
        failed: set when the connection can no longer be used although its streams are open.
        unauthorized: whether it failed because the server wants other credentials.
        refused: whether the server answered a POST as a server of legacy SSE does.
    """

    def __init__(self, config: UpstreamConfig, most: int, auth: httpx2.Auth | None = None, *, sse: bool = False):
        self.why, self.failed, self.refused = "", anyio.Event(), False
        self.unauthorized = False
        self._config, self._most, self._auth, self._sse = config, most, auth, sse
        self._session: str | None = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransportStreams]:
        """Connect; a session of streamable HTTP is ended when the context is left."""
        url = self._config.url or ""
        async with self._client() as client:
            if self._sse:
                async with sse_streams(client, url, self._most, self._fail) as streams:
                    yield streams
                return
            try:
                async with streamable_http_client(
                    url, http_client=client, terminate_on_close=False, max_sse_event_size=self._most
                ) as streams:
                    yield streams
            finally:
                await self._end_session(client)

    def answered(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """Return the response to hand on: errors that the SDK would not tell apart become JSON-RPC errors of ours."""
        status = response.status_code
        unreadable = self._limit(response)
        if request.method != "POST":
            return self.problem(request, UNREACHABLE, unreadable) if unreadable else response
        self._session = response.headers.get(_SESSION, self._session)
        self.refused = self.refused or status in _NO_SUCH_ENDPOINT
        if status in (401, 403):
            return self.problem(request, UNAUTHORIZED, f"HTTP {_phrase(status)}")
        if status == 404 and _SESSION in request.headers:
            unreadable = "the server has ended the session"
        elif status in _GATEWAY_ERRORS:
            unreadable = f"HTTP {_phrase(status)}"
        if unreadable:
            return self.problem(request, UNREACHABLE, unreadable)
        if status >= 400 and "application/json" not in response.headers.get("content-type", ""):
            return self.problem(request, METHOD_NOT_FOUND, f"HTTP {_phrase(status)}")
        return response

    def _limit(self, response: httpx2.Response) -> str:
        """Limit what is read of a body, as it is unpacked. Returns why it cannot be read at all; empty if it can."""
        coding = response.headers.get("content-encoding", _PLAIN).strip().casefold()
        if coding in _GZIP:
            # httpx2 would unpack each part as a whole.
            del response.headers["content-encoding"]
            response.stream = _Unpacked(response.stream)
        elif coding != _PLAIN:
            return f"it compresses with {brief(coding)}, though it was asked not to"
        kind = response.headers.get("content-type", "")
        if "application/json" in kind:
            response.stream = _Limited(response.stream, self._most)
        elif "text/event-stream" in kind:
            response.stream = _LimitedEvents(response.stream)
        return ""

    def problem(self, request: httpx2.Request, code: int, why: str) -> httpx2.Response:
        """Return a response that the SDK reads as the answer to the request."""
        if self._sse:
            # Answers come on another stream.
            self.unauthorized = code == UNAUTHORIZED
            self._fail(why)
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}}
        return httpx2.Response(HTTPStatus.BAD_REQUEST, json=error, request=request)

    def _fail(self, why: str) -> None:
        self.why = self.why or why
        self.failed.set()

    def _client(self) -> httpx2.AsyncClient:
        # Uncompressed, so that the bytes counted are those held in memory. Not every server does as it is asked.
        return _Client(
            self,
            headers={"Accept-Encoding": "identity"} | dict(self._config.headers),
            timeout=httpx2.Timeout(_TO_CONNECT, read=_TO_READ),
            auth=self._auth,
        )

    async def _end_session(self, client: httpx2.AsyncClient) -> None:
        if self._session is None:
            return
        with anyio.move_on_after(_TO_END_SESSION, shield=True), suppress(httpx2.HTTPError, OAuthFlowError):
            await client.delete(self._config.url or "", headers={_SESSION: self._session})


class _Client(httpx2.AsyncClient):
    """A client whose errors on a request stay that request's, and do not end the SDK's transport."""

    def __init__(self, transport: HttpTransport, **options: Any):
        super().__init__(**options)
        self._owner = transport

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; a POST always gets a response."""
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            if request.method != "POST":
                raise
            return self._owner.problem(request, UNREACHABLE, f"{type(error).__name__}: {error}".rstrip(": "))
        except OAuthFlowError as error:
            if request.method != "POST":
                raise
            return self._owner.problem(request, UNAUTHORIZED, str(error))
        handed_on = self._owner.answered(request, response)
        if handed_on is not response:
            await response.aclose()
        return handed_on


class _Unpacked(httpx2.AsyncByteStream):
    """A compressed body as it was before, in pieces, so that whoever counts them can stop at a limit."""

    def __init__(self, body: Any):
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacker = zlib.decompressobj(_GZIP_FORMAT)
        async for part in self._body:
            rest = part
            while rest and not unpacker.eof:
                try:
                    piece = unpacker.decompress(rest, _PIECE)
                except zlib.error as error:
                    raise httpx2.ReadError("the body is not compressed as its header says") from error
                rest = unpacker.unconsumed_tail
                yield piece

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()


class _Limited(httpx2.AsyncByteStream):
    """A JSON body that ends with an error beyond a number of bytes or values."""

    def __init__(self, body: Any, most: int):
        self._body, self._most = body, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts, read = [], 0
        async for part in self._body:
            read += len(part)
            if read > self._most:
                raise TooLargeError(size_error(None, self._most))
            parts.append(part)
        # Nothing of it is used before its end.
        body = b"".join(parts)
        if count_values(body) > MAX_VALUES:
            raise TooLargeError(values_error())
        yield body

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()


class _LimitedEvents(httpx2.AsyncByteStream):
    """A stream of events that ends with an error at one of too many values; the SDK limits the bytes of one."""

    def __init__(self, body: Any):
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        values = EventValues()
        async for part in self._body:
            if values.feed(part) > MAX_VALUES:
                # The SDK answers the request with the text of this error alone.
                raise httpx2.SSEError(values_error())
            yield part

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()


class TooLargeError(httpx2.StreamError):
    """A body is beyond a limit."""


def _phrase(status: int) -> str:
    with suppress(ValueError):
        return f"{status} {HTTPStatus(status).phrase}"
    return str(status)
