"""Sends cases to the application in this process, and looks at what comes back."""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import httpx2

from tests.server.faults.clean import SHED, assert_clean
from tests.server.faults.in_process import application_client
from tests.server.fuzz.lane import CASES, DEADLINE

Headers = Mapping[str, str] | Sequence[tuple[bytes, bytes]]


class Sender:
    """Sends one case after the other and counts those that were answered cleanly and in time."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client
        self.cases = 0

    async def send(self, content: bytes, headers: Headers, method: str = "POST") -> httpx2.Response:
        start = time.monotonic()
        with anyio.fail_after(DEADLINE):
            response = await self.client.request(method, "/mcp", content=content, headers=headers)
        assert time.monotonic() - start < DEADLINE
        assert response.status_code not in SHED, response.text
        assert_clean(response.status_code, response.text)
        self.cases += 1
        return response


@asynccontextmanager
async def sender_of(kind: str, *options: str) -> AsyncIterator[Sender]:
    """Yield a sender to an application with these options; at the end all cases of the kind must have been sent."""
    async with application_client(*options) as client:
        sender = Sender(client)
        yield sender
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).status_code == 200
    assert sender.cases >= CASES[kind]
