"""The effect of the proxy's settings on a request, apart from replicas that come and go."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import httpx2
import pytest

from tests.deploy.callers import HOST
from tests.deploy.proxy import Proxied, Proxy, needs_nginx, proxy_of
from tests.deploy.replica import two_replicas

pytestmark = [pytest.mark.anyio, pytest.mark.slow, needs_nginx]

HEADERS = {"Accept": "application/json, text/event-stream", "Host": HOST}
PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """Of two replicas that take one request each at a time."""
    folder = tmp_path_factory.mktemp("proxy")
    hosts = ["--allowed-host", HOST, "--allowed-host", f"{HOST}:*"]
    with (
        two_replicas(folder / "cache", *hosts, "--max-concurrency", "1") as replicas,
        proxy_of(replicas, folder) as proxy,
    ):
        yield proxy


@pytest.fixture
async def client(proxy: Proxy) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=proxy.address.removesuffix("/mcp"), headers=HEADERS, timeout=60) as client:
        yield client


def lookup(phrase: str) -> dict[str, Any]:
    params = {"name": "lookup_capability", "arguments": {"agent": "claude-code", "capability": phrase}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


async def logged(proxy: Proxy, since: int, count: int) -> list[Proxied]:
    """So many requests after the first `since`; each is logged after its answer."""
    with anyio.fail_after(60):
        while len(proxy.log()) < since + count:
            await anyio.sleep(0.01)
    return proxy.log()[since:]


@pytest.mark.parametrize(
    ("host", "status"), [(HOST, 200), (f"{HOST}:8080", 200), ("elsewhere.example", 421), ("replicas", 421)]
)
async def test_the_replicas_see_the_host_that_the_caller_named(
    client: httpx2.AsyncClient, proxy: Proxy, host: str, status: int
) -> None:
    before = len(proxy.log())
    assert (await client.post("/mcp", json=PING, headers={"Host": host})).status_code == status
    assert [len(request.asked) for request in await logged(proxy, before, 1)] == [1]


async def test_what_both_replicas_send_away_is_sent_away_with_the_time_to_wait(client: httpx2.AsyncClient) -> None:
    responses: list[httpx2.Response] = []

    async def ask(number: int) -> None:
        responses.append(await client.post("/mcp", json=lookup(f"undo number {number}")))

    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(ask, number)
    shed = [response for response in responses if response.status_code != 200]
    assert {(response.status_code, response.headers.get("Retry-After")) for response in shed} == {(503, "1")}
    assert len(shed) < len(responses)
    assert (await client.post("/mcp", json=lookup("undo"))).status_code == 200


async def test_what_one_replica_sends_away_the_other_is_asked(client: httpx2.AsyncClient, proxy: Proxy) -> None:
    before = len(proxy.log())
    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(lambda number: client.post("/mcp", json=lookup(f"redo number {number}")), number)
    assert any(len(request.asked) == 2 for request in await logged(proxy, before, 40))


async def test_a_body_over_the_limit_is_refused_without_asking_a_replica(
    client: httpx2.AsyncClient, proxy: Proxy
) -> None:
    before = len(proxy.log())
    assert (await client.post("/mcp", content=b"x" * (1 << 20) + b"x")).status_code == 413
    assert [request.asked for request in await logged(proxy, before, 1)] == [["-"]]
    assert (await client.post("/mcp", json=PING)).status_code == 200
