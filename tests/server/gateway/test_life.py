"""Tools of servers that connect later and that change, without a restart."""

from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.server.subscriptions import PromptsListChanged, ResourcesListChanged, ToolsListChanged
from mcp_types import Implementation

from tests.server.gateway.changing import PINNED, changes, connects, found
from tests.server.gateway.made_upstreams import Made, files, git, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.gateway.upstreams.running import until
from tests.server.toolset.starts import names, rules
from tests.server.toolset.wire import LIST_CHANGED, Wire

pytestmark = [pytest.mark.anyio]


async def test_a_server_that_connects_later_is_there_without_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    late = files()
    late.fault = "down"
    async with running(monkeypatch, {"git": git(), "files": late}) as gateway, gateway.client() as client:
        assert "files__read_image" not in await found(client, "see a picture")
        await connects(gateway, "files")
        assert await found(client, "see a picture") == ["files__read_image"]
        assert not (await client.call_tool("call_tool", {"name": "read_image"})).is_error


async def test_a_hanging_server_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"slow": Made(fault="silent"), "git": git()}
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        assert await found(client, "rewind") == ["git__status"]


async def test_lists_are_answered_before_any_server_has_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    for several_callers in [False, True]:
        made = {"slow": Made(fault="silent")}
        async with running(monkeypatch, made, several_callers=several_callers) as gateway, gateway.client() as client:
            assert await names(client) == ["search_tools", "call_tool", "capabilities"], several_callers


async def test_a_legacy_client_hears_of_the_tools_of_a_server_that_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    late = files()
    late.fault = "down"
    async with running(monkeypatch, {"git": git(), "files": late}, start=PINNED) as gateway:
        wire: Any = Wire(gateway.gateway.server)
        async with Client(wire, mode="legacy") as client:
            before = await names(client)
            await connects(gateway, "files")
            await until(lambda: wire.notified)
            assert wire.notified == [LIST_CHANGED]
            assert await names(client) == [*before, "files__read_image", "files__status"]


async def test_a_client_of_2026_hears_on_its_subscription(monkeypatch: pytest.MonkeyPatch) -> None:
    late = files()
    late.fault = "down"
    async with (
        running(monkeypatch, {"git": git(), "files": late}, start=PINNED) as gateway,
        gateway.client() as client,
        client.listen(tools_list_changed=True) as stream,
    ):
        await connects(gateway, "files")
        with anyio.fail_after(20):
            assert await anext(aiter(stream)) == ToolsListChanged()
        assert "files__status" in await names(client)


async def test_prompts_and_resources_are_listed_at_once_and_a_legacy_client_hears_of_those_that_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = git()
    late.fault = "silent"
    async with running(monkeypatch, {"git": late, "files": files()}) as gateway:
        wire: Any = Wire(gateway.gateway.server)
        async with Client(wire, mode="legacy") as client:
            assert client.server_capabilities.prompts == types.PromptsCapability(list_changed=True)
            assert (await client.list_prompts()).prompts == []
            await client.list_resources()
            late.fault = ""
            gateway.gateway._pool.upstreams["git"]._take({"prompts": (types.Prompt(name="review"),)})
            gateway.gateway.tools.changed(gateway.gateway._pool.upstreams["git"])
            await until(lambda: wire.notified)
            assert wire.notified == ["notifications/prompts/list_changed"]
            assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["git__review"]


async def test_a_client_of_2026_hears_of_prompts_and_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    late = git()
    late.fault = "down"
    async with (
        running(monkeypatch, {"git": late}) as gateway,
        gateway.client() as client,
        client.listen(prompts_list_changed=True, resources_list_changed=True) as stream,
    ):
        await connects(gateway, "git")
        with anyio.fail_after(20):
            events = aiter(stream)
            assert {type(await anext(events)), type(await anext(events))} == {PromptsListChanged, ResourcesListChanged}


async def test_a_client_does_not_hear_of_tools_that_it_may_not_use(monkeypatch: pytest.MonkeyPatch) -> None:
    start = PINNED | {"allowlist": rules(one=["git"], two=["*"])}
    late = files()
    late.fault = "down"
    async with running(monkeypatch, {"git": git(), "files": late}, start=start) as gateway:
        wires: list[Any] = [Wire(gateway.gateway.server), Wire(gateway.gateway.server)]
        async with (
            Client(wires[0], mode="legacy", client_info=Implementation(name="one", version="1")) as one,
            Client(wires[1], mode="legacy", client_info=Implementation(name="two", version="1")) as two,
        ):
            await names(one)
            await names(two)
            await connects(gateway, "files")
            await until(lambda: wires[1].notified)
            assert wires[0].notified == []


async def test_a_changed_list_is_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}, start=PINNED) as gateway, gateway.client() as client:
        await changes(gateway, "git", tool("look", "see a picture"))
        assert "git__look" in await names(client)
        assert "git__status" not in await names(client)
        assert await found(client, "picture") == ["git__look"]
        assert "git__status" not in await found(client, "git__status")


async def test_a_failure_to_take_up_a_change_does_not_keep_the_next_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        take = gateway.gateway.tools._known.take
        monkeypatch.setattr(gateway.gateway.tools._known, "take", None)
        await changes(gateway, "git", tool("look", "see a picture"))
        assert "could not be taken up" in caplog.text
        assert await found(client, "rewind") == ["git__status"]
        monkeypatch.setattr(gateway.gateway.tools._known, "take", take)
        await changes(gateway, "git", tool("see", "see a picture"))
        assert await found(client, "picture") == ["git__see"]
