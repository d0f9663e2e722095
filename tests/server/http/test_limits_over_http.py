"""A real server over HTTP and what it refuses."""

import json
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import pytest

from tests.server.http_server import http_server

pytestmark = [pytest.mark.processes, pytest.mark.anyio]

MAX_BODY = 20_000
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    options = ["--path", "/tools", "--allowed-host", "agents.example"]
    options += [
        "--allowed-host",
        "any.example:*",
        "--allowed-host",
        "one.example:81",
        "--allowed-host",
        "[2001:db8::1]",
    ]
    options += ["--allowed-origin", "https://agents.example"]
    with http_server(tmp_path_factory.mktemp("http"), *options, "--max-body", str(MAX_BODY)) as listening:
        yield listening.removesuffix("/mcp")


@pytest.fixture
async def client(address: str) -> Any:
    async with httpx2.AsyncClient(base_url=address, headers=HEADERS, timeout=60) as client:
        yield client


async def test_the_process_is_alive_at_once(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}


async def test_it_is_ready_when_model_and_vectors_are(client: httpx2.AsyncClient) -> None:
    with anyio.fail_after(60):
        while (response := await client.get("/readyz")).status_code == 503:
            assert response.json() == {"status": "starting"}
            await anyio.sleep(0.05)
    assert response.json() == {"status": "ok", "capabilities": 56}


async def test_a_request_of_this_machine_is_answered_at_the_chosen_path(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/tools", json=PING)).json()["result"] == {}
    assert (await client.post("/mcp", json=PING)).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost"}, 200),
        ({"Host": "127.0.0.1"}, 200),
        ({"Host": "[::1]"}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Host": "agents.example"}, 200),
        ({"Host": "agents.example:8000"}, 200),
        ({"Host": "any.example"}, 200),
        ({"Host": "any.example:8000"}, 200),
        ({"Host": "one.example:81"}, 200),
        ({"Host": "one.example:82"}, 421),
        ({"Host": "one.example"}, 421),
        ({"Host": "[2001:db8::1]"}, 200),
        ({"Host": "[2001:db8::1]:8000"}, 200),
        ({"Host": "elsewhere.example"}, 421),
        ({"Origin": "https://agents.example"}, 200),
        ({"Origin": "https://elsewhere.example"}, 403),
    ],
)
async def test_other_hosts_and_origins_are_refused_unless_they_are_allowed(
    client: httpx2.AsyncClient, headers: dict[str, str], status: int
) -> None:
    assert (await client.post("/tools", json=PING, headers=headers)).status_code == status


@pytest.mark.parametrize("size", [MAX_BODY + 1, 50_000_000])
async def test_a_body_over_the_limit_is_refused_and_the_next_request_served(
    client: httpx2.AsyncClient, size: int
) -> None:
    response = await client.post("/tools", content=b'"' + b"x" * (size - 2) + b'"')
    assert response.status_code == 413
    assert (await client.post("/tools", json=PING)).status_code == 200


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", "null", '{"jsonrpc": "2.0"}', "[" * 9_000, json.dumps({**PING, "method": 7})]
)
async def test_what_is_no_request_is_a_clean_error(client: httpx2.AsyncClient, content: str) -> None:
    response = await client.post("/tools", content=content)
    assert 400 <= response.status_code < 500
    assert "Traceback" not in response.text
    assert (await client.post("/tools", json=PING)).status_code == 200
