from collections.abc import Mapping

import anyio
import httpx2
import pytest
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from server.http.limits import LimitedPaths, RequestLimits

pytestmark = [pytest.mark.anyio]


class Held:
    """An application that answers when it is let go."""

    def __init__(self) -> None:
        self.entered = 0
        self.go = anyio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.entered += 1
        await self.go.wait()
        await PlainTextResponse("done")(scope, receive, send)


def refused_plainly(status: int, message: str, headers: Mapping[str, str] | None) -> Response:
    return PlainTextResponse(message, status, headers)


def client_of(app: Held, max_concurrency: int, request_timeout: float = 60) -> httpx2.AsyncClient:
    gate = RequestLimits(
        app,
        path="/mcp",
        max_concurrency=max_concurrency,
        max_body=1000,
        request_timeout=request_timeout,
        also=LimitedPaths("/api/", refused_plainly),
    )
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=gate), base_url="http://test")


async def test_more_than_can_be_under_way_are_sent_away_and_later_ones_are_answered() -> None:
    app, statuses = Held(), []
    async with client_of(app, 2) as client:

        async def ask() -> None:
            statuses.append((await client.post("/mcp")).status_code)

        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(ask)
            while app.entered < 2:
                await anyio.sleep(0)
            refused = await client.post("/mcp")
            app.go.set()
        assert (await client.post("/mcp")).text == "done"
    assert statuses == [200, 200]
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert "2 requests are under way" in refused.json()["error"]["message"]


async def test_what_takes_too_long_is_told_so() -> None:
    async with client_of(Held(), 1, request_timeout=0.05) as client:
        late = await client.post("/mcp")
        assert late.status_code == 504
        assert "not answered within 0.05 seconds" in late.json()["error"]["message"]
        assert (await client.post("/mcp")).status_code == 504


async def test_streams_and_other_addresses_take_no_place() -> None:
    for method, path in [("GET", "/mcp"), ("POST", "/readyz"), ("GET", "/api")]:
        app = Held()
        app.go.set()
        async with client_of(app, 0) as client:
            assert (await client.request(method, path)).text == "done", (method, path)
            assert (await client.post("/mcp")).status_code == 503, (method, path)


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_other_paths_can_count_and_are_refused_in_words_of_their_own(method: str) -> None:
    async with client_of(Held(), 0) as client:
        refused = await client.request(method, "/api/match")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert refused.text.startswith("0 requests are under way")


async def test_requests_to_other_paths_and_to_mcp_share_one_limit() -> None:
    app = Held()
    async with client_of(app, 1) as client, anyio.create_task_group() as group:
        group.start_soon(client.get, "/api/match")
        while not app.entered:
            await anyio.sleep(0)
        assert (await client.post("/mcp")).status_code == 503
        app.go.set()


async def test_other_paths_have_a_timeout() -> None:
    async with client_of(Held(), 1, request_timeout=0.05) as client:
        late = await client.get("/api/match")
    assert late.status_code == 504
    assert late.text.startswith("the request was not answered within 0.05 seconds")
