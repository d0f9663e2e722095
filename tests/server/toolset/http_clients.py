"""Clients over HTTP that bear a token and hear what is sent in their session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation, ToolListChangedNotification


class Heard:
    """The messages that a client hears on the stream of its session, once that is open."""

    def __init__(self) -> None:
        self.opened = anyio.Event()
        self.changed = anyio.Event()
        self.changes = 0

    async def response(self, response: httpx2.Response) -> None:
        if response.request.method == "GET" and response.status_code == 200:
            self.opened.set()

    async def message(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.changes += 1
            self.changed.set()


@asynccontextmanager
async def client_of(
    address: str, mode: str, token: str, *, calling_itself: str = "tester", heard: Heard | None = None
) -> AsyncIterator[Client]:
    heard = heard or Heard()
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, event_hooks={"response": [heard.response]}, timeout=60) as http:
        transport = streamable_http_client(address, http_client=http)
        me = Implementation(name=calling_itself, version="1")
        async with Client(transport, mode=mode, client_info=me, message_handler=heard.message) as client:
            yield client
