import threading
from dataclasses import replace
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from server.matching.service import Service
from server.protocol.server import build_server
from server.tools import list_capabilities
from server.tools.answers import Answer
from server.toolset import registry
from tests.server.calls import MODES
from tests.server.toolset.starts import answer, connected, names, started
from tests.server.toolset.wire import LIST_CHANGED, Wire

pytestmark = [pytest.mark.anyio]

LOADING: list[tuple[str, dict[str, Any]]] = [
    ("load_family", {"family": "decide"}),
    ("smart_load", {"intent": "recommend an agent"}),
    ("call_tool", {"name": "load_family", "arguments": {"family": "decide"}}),
]


async def test_loading_a_family_is_notified_once_before_the_answer(service: Service, subtests: pytest.Subtests) -> None:
    for tool, arguments in LOADING:
        with subtests.test(tool=tool, arguments=arguments):
            wire = Wire(build_server(service, start=started(dynamic=True)))
            async with Client(wire, mode="legacy") as client:
                before = await names(client)
                await answer(client, tool, arguments)
                assert wire.notified == [LIST_CHANGED]
                assert await names(client) == [*before[:4], "recommend_agent", "feature_parity", *before[4:]]
            assert wire.notified == [LIST_CHANGED]


async def test_loading_a_family_again_is_not_notified(service: Service) -> None:
    for tool, arguments in LOADING:
        wire = Wire(build_server(service, start=started(dynamic=True)))
        async with Client(wire, mode="legacy") as client:
            await answer(client, "load_family", {"family": "decide"})
            await answer(client, tool, arguments)
            await answer(client, "load_family", {"family": " Decide "})
        assert wire.notified == [LIST_CHANGED], (tool, arguments)


async def test_asking_for_a_family_of_the_start_is_not_notified(service: Service) -> None:
    for family in ["core", "catalog", "meta"]:
        wire = Wire(build_server(service, start=started("catalog", dynamic=True)))
        async with Client(wire, mode="legacy") as client:
            assert (await answer(client, "load_family", {"family": family}))["callBy"] == "name", family
        assert wire.notified == [], family


async def test_what_loads_nothing_is_not_notified(service: Service) -> None:
    wire = Wire(build_server(service, start=started(dynamic=True)))
    async with Client(wire, mode="legacy") as client:
        assert (await client.call_tool("load_family", {"family": "graph"})).is_error
        assert (await answer(client, "smart_load", {"intent": "what is the weather"}))["decision"] == "no_match"
        assert await answer(client, "call_tool", {"name": "feature_parity"})
    assert wire.notified == []


async def test_a_call_that_was_under_way_while_a_family_was_loaded_is_not_notified_too(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, finish = threading.Event(), threading.Event()

    def wait(service: Service, request: Any) -> Answer:
        running.set()
        assert finish.wait(20)
        return list_capabilities.ListAnswer(total=0, capabilities=[])

    waiting = list_capabilities.TOOL
    tools = tuple(replace(waiting, handler=wait) if tool is waiting else tool for tool in registry.TOOLS)
    monkeypatch.setattr(registry, "TOOLS", tools)
    wire = Wire(build_server(service, start=started(dynamic=True)))
    async with Client(wire, mode="legacy") as client, anyio.create_task_group() as calls:
        calls.start_soon(client.call_tool, "list_capabilities", {"agent": "gemini"})
        assert await anyio.to_thread.run_sync(running.wait, 20)
        await answer(client, "load_family", {"family": "match"})
        finish.set()
    assert wire.notified == [LIST_CHANGED]


async def test_another_client_of_the_server_is_not_notified_and_sees_no_more_tools(service: Service) -> None:
    server = build_server(service, start=started(dynamic=True))
    wires = Wire(server), Wire(server)
    async with Client(wires[0], mode="legacy") as loading, Client(wires[1], mode="legacy") as other:
        before = await names(other)
        await answer(loading, "load_family", {"family": "match"})
        assert await names(other) == before
        with pytest.raises(MCPError) as caught:
            await other.call_tool("match_capability", {"phrase": "undo"})
        await answer(loading, "match_capability")
    assert caught.value.error.code == METHOD_NOT_FOUND
    assert [wire.notified for wire in wires] == [[LIST_CHANGED], []]


async def test_a_later_client_of_the_server_begins_as_it_was_started(service: Service) -> None:
    server = build_server(service, start=started(dynamic=True))
    seen = []
    for _ in range(2):
        async with Client(server, mode="legacy") as client:
            seen.append(await names(client))
            await answer(client, "load_family", {"family": "match"})
    assert seen[0] == seen[1]


async def test_nothing_changes_and_nothing_is_notified_where_lists_must_not_vary(
    service: Service, subtests: pytest.Subtests
) -> None:
    for tool, arguments in LOADING:
        for over in ["streams", "no streams"]:
            with subtests.test(tool=tool, arguments=arguments, over=over):
                wire = Wire(build_server(service, start=started(dynamic=True)))
                client = Client(wire) if over == "streams" else connected(service, "auto", started(dynamic=True))
                async with client:
                    assert client.protocol_version == "2026-07-28"
                    before = await names(client)
                    loaded = await answer(client, tool, arguments)
                    loaded = loaded.get("result", loaded)
                    assert (loaded["ready"], loaded["callBy"], "listChanged" in loaded) == (True, "call_tool", False)
                    assert await names(client) == before
                assert over == "no streams" or wire.notified == []


async def test_changes_are_promised_exactly_where_they_are_sent(subtests: pytest.Subtests, service: Service) -> None:
    for mode in MODES:
        for sessions in [True, False]:
            for dynamic in [True, False]:
                with subtests.test(mode=mode, sessions=sessions, dynamic=dynamic):
                    server = build_server(service, start=started(dynamic=dynamic), sessions=sessions)
                    async with Client(server, mode=mode) as client:
                        assert client.server_capabilities.tools
                        promised = client.server_capabilities.tools.list_changed
                    assert bool(promised) is (dynamic and sessions and mode == "legacy")
