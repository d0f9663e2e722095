"""Calls that take longer than a request may, in both eras, without sessions and with them."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp_types import REQUEST_TIMEOUT

from server.http import app
from server.matching.service import Service
from tests.server.faults.clean import messages_in
from tests.server.faults.in_process import application_client
from tests.server.faults.messages import ERAS, HELLO, TOOL, headers_of, lookup, message

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("toy_model", "few_intents")]

HANDSHAKE, MODERN = ERAS
SECONDS = 30


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Matching waits until this is set."""
    go, match = threading.Event(), Service.ask

    def waiting(self: Service, *arguments: Any) -> Any:
        go.wait(SECONDS)
        return match(self, *arguments)

    monkeypatch.setattr(Service, "ask", waiting)
    yield go
    go.set()


async def ask(client: httpx2.AsyncClient, era: str, **headers: str) -> httpx2.Response:
    with anyio.fail_after(SECONDS / 2):
        return await client.post(
            "/mcp",
            json=message(era, "tools/call", **lookup()),
            headers=headers_of(era, "tools/call", TOOL) | headers,
        )


@pytest.mark.parametrize("era", ERAS)
async def test_without_sessions_the_status_says_that_the_time_is_up(
    toy_data: Path, held: threading.Event, era: str
) -> None:
    async with application_client("--data", str(toy_data), "--request-timeout", "1") as client:
        late = await ask(client, era)
    assert late.status_code == 504
    assert "not answered within 1 seconds" in late.text


async def test_in_a_session_an_error_says_so_on_the_stream(toy_data: Path, held: threading.Event) -> None:
    async with application_client("--data", str(toy_data), "--request-timeout", "1", "--sessions") as client:
        hello = await client.post(
            "/mcp", json=message(HANDSHAKE, "initialize", **HELLO), headers=headers_of(HANDSHAKE, "initialize")
        )
        late = await ask(client, HANDSHAKE, **{"Mcp-Session-Id": hello.headers["mcp-session-id"]})
    (answer,) = messages_in(late.text)
    assert (answer["id"], answer["error"]["code"]) == (1, REQUEST_TIMEOUT)
    assert "tools/call was not answered within" in answer["error"]["message"]


async def test_in_the_modern_era_a_server_with_sessions_answers_in_time(toy_data: Path, held: threading.Event) -> None:
    async with application_client("--data", str(toy_data), "--request-timeout", "1", "--sessions") as client:
        late = await ask(client, MODERN)
    (answer,) = messages_in(late.text)
    assert answer["error"]["code"] == REQUEST_TIMEOUT


@pytest.mark.parametrize("size", [16 * 1024 + 1, 500_000])
async def test_a_session_is_opened_by_a_small_request_alone(toy_data: Path, size: int) -> None:
    async with application_client("--data", str(toy_data), "--sessions") as client:
        large = HELLO | {"capabilities": {"experimental": {"x": {"y": "x" * size}}}}
        headers = headers_of(HANDSHAKE, "initialize")
        refused = await client.post("/mcp", json=message(HANDSHAKE, "initialize", **large), headers=headers)
        opened = await client.post("/mcp", json=message(HANDSHAKE, "initialize", **HELLO), headers=headers)
    assert refused.status_code == 413
    assert opened.headers["mcp-session-id"]


async def test_no_more_sessions_are_opened_than_the_limit(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_SESSIONS", 2)
    async with application_client("--data", str(toy_data), "--sessions") as client:
        headers = headers_of(HANDSHAKE, "initialize")
        opened = [
            await client.post("/mcp", json=message(HANDSHAKE, "initialize", **HELLO), headers=headers) for _ in range(3)
        ]
    assert [response.status_code for response in opened] == [200, 200, 503]
