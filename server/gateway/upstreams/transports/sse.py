"""The streams of legacy SSE. The SDK's own cannot take an event over 1 MiB, such as an image."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit

import anyio
import anyio.abc
import httpx2
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared._httpx_utils import request_within_origin, sse_within_origin
from mcp.shared.message import SessionMessage

from server.gateway.upstreams.transports.messages import read_message

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
    """Where messages go, which must be at the same server: requests carry the credentials for it."""
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
