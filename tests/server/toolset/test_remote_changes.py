"""Clients hear that their list of tools has changed, and only they."""

from collections.abc import Sequence
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.server.subscriptions import ToolsListChanged
from mcp_types import Implementation

from tests.server.calls import MODES
from tests.server.toolset.remote_tools import DOWN, FILES, GIT, Servers, serving
from tests.server.toolset.starts import answer, names, rules
from tests.server.toolset.wire import LIST_CHANGED, Wire

pytestmark = [pytest.mark.anyio]
PINNED = frozenset({"*__status"})


def named(wire: Any, name: str, mode: str = "legacy") -> Client:
    return Client(wire, mode=mode, client_info=Implementation(name=name, version="1"))


async def settled() -> None:
    """Wait until what was sent has arrived."""
    for _ in range(20):
        await anyio.lowlevel.checkpoint()
    await anyio.sleep(0.05)


async def test_a_legacy_client_hears_of_a_tool_that_is_new_in_its_list() -> None:
    source = Servers(*GIT)
    wire = Wire(serving(source, pinned=PINNED))
    async with named(wire, "one") as client:
        before = await names(client)
        source.change(*GIT, *FILES)
        await settled()
        assert wire.notified == [LIST_CHANGED]
        assert await names(client) == ["git__status", "files__status", *before[1:]]


async def test_a_client_does_not_hear_of_what_its_list_does_not_show() -> None:
    source = Servers(*GIT)
    wire = Wire(serving(source, pinned=PINNED))
    async with named(wire, "one") as client:
        await names(client)
        source.change(*GIT, FILES[0])
        source.change(*GIT, FILES[0], git=DOWN)
        await settled()
    assert wire.notified == []


async def test_a_client_does_not_hear_of_what_it_may_not_use() -> None:
    source = Servers(*GIT)
    server = serving(source, pinned=PINNED, allowlist=rules(one=["git"], two=["*"]))
    wires = Wire(server), Wire(server)
    async with named(wires[0], "one") as one, named(wires[1], "two") as two:
        await names(one)
        await names(two)
        source.change(*GIT, *FILES)
        await settled()
    assert [wire.notified for wire in wires] == [[], [LIST_CHANGED]]


async def test_changes_that_come_at_once_are_told_once() -> None:
    source = Servers()
    wire = Wire(serving(source, pinned=PINNED))
    async with named(wire, "one") as client:
        await names(client)
        source.change(*GIT)
        source.change(*FILES)
        source.change(*FILES, *GIT)
        await settled()
    assert wire.notified == [LIST_CHANGED]


async def test_a_family_that_the_session_loaded_counts_as_its_list() -> None:
    source = Servers(*GIT, *FILES, dynamic=True)
    wire = Wire(serving(source))
    async with named(wire, "one") as client:
        await names(client)
        await answer(client, "load_family", {"family": "git"})
        assert wire.notified == [LIST_CHANGED]
        source.change(*GIT)
        await settled()
        assert wire.notified == [LIST_CHANGED]
        source.change(GIT[0])
        await settled()
    assert wire.notified == [LIST_CHANGED, LIST_CHANGED]


async def heard(client: Client, source: Servers, *changes: Sequence[Any]) -> list[Any]:
    """Return what a client of 2026-07-28 hears while the tools change."""
    events: list[Any] = []
    async with client.listen(tools_list_changed=True) as stream, anyio.create_task_group() as listening:

        async def note() -> None:
            async for event in stream:
                events.append(event)  # noqa: PERF401 -- the loop is cancelled

        listening.start_soon(note)
        for tools in changes:
            source.change(*tools)
            await settled()
        listening.cancel_scope.cancel()
    return events


async def test_a_client_of_2026_hears_on_its_subscription() -> None:
    source = Servers(*GIT)
    async with named(serving(source, pinned=PINNED), "one", "auto") as client:
        assert await heard(client, source, (*GIT, *FILES), (*GIT, FILES[1])) == [ToolsListChanged()]
        assert "files__status" in await names(client)


async def test_a_subscription_does_not_tell_of_what_the_caller_may_not_use() -> None:
    source = Servers(*GIT)
    server = serving(source, pinned=PINNED, allowlist=rules(one=["git"]))
    async with named(server, "one", "auto") as client:
        assert await heard(client, source, (*GIT, *FILES)) == []


async def test_a_client_that_has_left_holds_up_no_other() -> None:
    source = Servers(*GIT)
    server = serving(source, pinned=PINNED)
    async with named(Wire(server), "one") as client:
        await names(client)
    wire = Wire(server)
    async with named(wire, "two") as client:
        await names(client)
        source.change(*FILES)
        await settled()
    assert wire.notified == [LIST_CHANGED]


@pytest.mark.parametrize("mode", MODES)
async def test_changes_are_promised(mode: str) -> None:
    async with Client(serving(Servers(*GIT)), mode=mode) as client:
        assert client.server_capabilities.tools == types.ToolsCapability(list_changed=True)
