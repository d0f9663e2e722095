"""Events that observers are told for requests of clients in memory."""

import time
from contextlib import suppress
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CancelledNotification,
    CancelledNotificationParams,
)

from server.matching.asking import AskedNeed
from server.matching.service import Service
from server.protocol.server import build_server
from server.telemetry.middleware import RequestMiddleware
from tests.server.calls import MODERN
from tests.server.telemetry.observed import Held, Told, observed_server
from tests.server.toolset.starts import started

pytestmark = pytest.mark.anyio

LOOKUP = {"agent": "claude-code", "capability": "rewind"}


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def client(service: Service, told: Told) -> Client:
    """Not connected yet."""
    return Client(observed_server(service, told), mode=MODERN)


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> None:
    """Call a tool, whatever comes back."""
    async with client:
        with suppress(MCPError):
            await client.call_tool(tool, arguments)


async def test_a_call_is_told_with_its_tool_outcome_and_decision(service: Service) -> None:
    cases: list[tuple[str, dict[str, Any], tuple[str, str, str | None]]] = [
        ("lookup_capability", LOOKUP, ("lookup_capability", "ok", "resolved")),
        ("compare_capability", {"capability": "history"}, ("compare_capability", "ok", "ambiguous")),
        ("compare_capability", {"capability": "how much does it cost"}, ("compare_capability", "ok", "no_match")),
        ("list_capabilities", {"agent": "claude-code"}, ("list_capabilities", "ok", None)),
        ("lookup_capability", LOOKUP | {"agent": "nobody"}, ("lookup_capability", "tool_error", None)),
        ("match_capability", {"phrase": "rewind"}, ("match_capability", str(METHOD_NOT_FOUND), None)),
        ("my_secret", {}, ("other", str(INVALID_PARAMS), None)),
    ]
    for tool, arguments, told_as in cases:
        told = Told()
        await call(Client(observed_server(service, told), mode=MODERN), tool, arguments)
        assert told.calls == [told_as], tool


async def test_the_seconds_are_those_of_the_request(
    client: Client, told: Told, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = service.ask

    def slow(phrase: str, agent: str | None = None) -> AskedNeed:
        time.sleep(0.1)
        return own(phrase, agent)

    monkeypatch.setattr(service, "ask", slow)
    start = time.perf_counter()
    await call(client, "lookup_capability", LOOKUP)
    waited = time.perf_counter() - start
    (seconds,) = (seen.seconds for seen in told.requests if seen.method == "tools/call")
    assert 0.1 <= seconds <= waited


async def test_a_tool_that_is_run_by_another_is_told_as_that(service: Service, told: Told) -> None:
    async with Client(observed_server(service, told, started(dynamic=True)), mode=MODERN) as client:
        await client.call_tool("call_tool", {"name": "match_capability", "arguments": {"phrase": "rewind"}})
    assert told.calls == [("call_tool", "ok", "resolved")]


async def test_a_fault_in_a_tool_is_told_as_one(
    client: Client, told: Told, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "ask", None)
    await call(client, "lookup_capability", LOOKUP)
    assert told.calls == [("lookup_capability", str(INTERNAL_ERROR), None)]


async def test_a_fault_beside_the_tools_is_told_as_one(
    client: Client, told: Told, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "catalog", None)
    async with client:
        with pytest.raises(MCPError):
            await client.list_resources()
    assert (told.requests[-1].method, told.requests[-1].outcome) == ("resources/list", str(INTERNAL_ERROR))


async def test_a_call_that_the_client_gives_up_is_told_as_cancelled(service: Service, told: Told) -> None:
    server, held = observed_server(service, told), Held("tools/call")
    server.middleware.append(held)
    with anyio.fail_after(30):
        async with Client(server, mode=MODERN) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "lookup_capability", LOOKUP)
            await held.begun.wait()
            group.cancel_scope.cancel()
    assert told.calls == [("lookup_capability", "cancelled", None)]


@pytest.mark.parametrize(("mode", "first"), [("legacy", "initialize"), (MODERN, "server/discover")])
async def test_every_request_is_told_once_and_no_notification_is(
    service: Service, told: Told, mode: str, first: str
) -> None:
    async with Client(observed_server(service, told), mode=mode) as client:
        nothing = CancelledNotificationParams(request_id="none of these")
        await client.session.send_notification(CancelledNotification(params=nothing))
        await client.list_tools()
        await client.read_resource("capabilities://manifest")
    asked = [first, "tools/list", "resources/read"]
    assert [(seen.method, seen.tool) for seen in told.requests] == [(method, None) for method in asked]


async def test_the_arguments_of_a_call_are_told_as_they_were_sent(client: Client, told: Told) -> None:
    sent = LOOKUP | {"unheardOf": [1, None]}
    await call(client, "lookup_capability", sent)
    assert [seen.arguments for seen in told.requests[:2]] == [None, sent]


async def test_in_memory_there_is_neither_a_request_id_nor_a_caller(client: Client, told: Told) -> None:
    await call(client, "lookup_capability", LOOKUP)
    assert {(seen.request, seen.caller) for seen in told.requests} == {(None, None)}


async def test_every_observer_is_told(service: Service) -> None:
    first, second = Told(), Told()
    server = build_server(service)
    server.middleware.append(RequestMiddleware([first.requests.append, second.requests.append], lambda _: True, ()))
    async with Client(server, mode=MODERN) as client:
        await client.list_tools()
    assert first.requests == second.requests != []
