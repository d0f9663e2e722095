"""Tools of servers that connect, change and were known before; nothing is embedded for a query."""

import logging
import threading
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.subscriptions import ToolsListChanged
from mcp_types import Implementation

from server.gateway.tool_catalog.index.tool_index import BUILDER
from tests.server.calls import MODES
from tests.server.gateway.made_upstreams import Made, Running, files, gateway_of, git, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.gateway.upstreams.running import until
from tests.server.toolset.starts import answer, names, rules
from tests.server.toolset.wire import LIST_CHANGED, Wire
from tests.toy import ToyEncoder

pytestmark = [pytest.mark.anyio]
each_mode = pytest.mark.parametrize("mode", MODES)
PINNED = {"pinned": frozenset({"*"})}


async def found(client: Client, need: str) -> list[str]:
    return [each["name"] for each in (await answer(client, "search_tools", {"need": need}))["tools"]]


async def connects(gateway: Running, name: str) -> None:
    """Let a server that was down be there."""
    gateway.made[name].fault = ""
    await until(lambda: gateway.gateway._pool.upstreams[name].state.kind == "ready")
    await gateway.taken()


async def changes(gateway: Running, name: str, *tools: Any) -> None:
    """Let a server have other tools."""
    before = gateway.gateway._pool.upstreams[name].tools
    await gateway.made[name].change(*tools)
    await until(lambda: gateway.gateway._pool.upstreams[name].tools != before)
    await gateway.taken()


class Counter(ToyEncoder):
    """Notes what each thread embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.by_thread: dict[str, list[str]] = {}

    def encode(self, texts: Sequence[str]) -> Any:
        self.by_thread.setdefault(threading.current_thread().name, []).extend(texts)
        return super().encode(texts)

    @property
    def outside(self) -> list[str]:
        """What other threads than the index's own have embedded."""
        return [text for name, texts in self.by_thread.items() if name != BUILDER for text in texts]


@each_mode
async def test_a_server_that_connects_later_is_there_without_a_restart(
    monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    late = files()
    late.fault = "down"
    async with running(monkeypatch, {"git": git(), "files": late}) as gateway, gateway.client(mode) as client:
        assert await found(client, "see a picture") == []
        await connects(gateway, "files")
        assert await found(client, "see a picture") == ["files__read_image"]
        assert not (await client.call_tool("call_tool", {"name": "read_image"})).is_error


async def test_a_hanging_server_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"slow": Made(fault="silent"), "git": git()}
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        assert await found(client, "rewind") == ["git__status"]


@pytest.mark.parametrize("several_callers", [False, True])
async def test_lists_are_answered_before_any_server_has_connected(
    monkeypatch: pytest.MonkeyPatch, several_callers: bool
) -> None:
    made = {"slow": Made(fault="silent")}
    async with running(monkeypatch, made, several_callers=several_callers) as gateway, gateway.client() as client:
        assert await names(client) == ["search_tools", "call_tool", "capabilities"]


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


@each_mode
async def test_a_changed_list_is_taken_up(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    async with running(monkeypatch, {"git": git()}, start=PINNED) as gateway, gateway.client(mode) as client:
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


async def test_at_the_second_start_tools_are_known_before_their_servers_connect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = {"git": git()}
    async with running(monkeypatch, made) as first:
        assert "2 tools of 1 server: git (2: " in first.gateway.tools.summary()
    made["git"].fault = "silent"
    second = gateway_of(monkeypatch, made)
    assert "2 tools of 1 server: git (2: " in second.gateway.tools.summary()
    assert second.gateway.server.instructions
    assert "git (2: " in second.gateway.server.instructions
    async with second.gateway.running(), second.client() as client:
        (each,) = (await answer(client, "search_tools", {"need": "push_commits"}))["tools"]
    assert each["status"].startswith("connecting since")


async def test_on_the_first_start_servers_are_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    first = gateway_of(monkeypatch, {"git": Made(fault="silent"), "calendar": Made(fault="silent")})
    assert first.gateway.tools.summary() == "Behind it: 2 servers: git, calendar. Their tools are not known yet."


async def test_a_server_that_has_no_tools_is_not_one_whose_tools_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git(), "bare": Made()}) as gateway:
        assert "not known" not in gateway.gateway.tools.summary()


async def test_at_the_second_start_nothing_is_embedded_and_nothing_has_changed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(100):
        deep = {"type": "object", "properties": {"more": deep}}
    made = {"git": git(), "deep": Made([tool("dig", "undo", inputSchema=deep)])}
    async with running(monkeypatch, made, pin_descriptions=True):
        pass
    with caplog.at_level(logging.WARNING):
        async with running(monkeypatch, made, pin_descriptions=True) as again, again.client() as client:
            assert again.gateway._index.embedded == 0
            assert not (await client.call_tool("call_tool", {"name": "dig"})).is_error
    assert "changed" not in caplog.text


async def test_a_query_embeds_its_own_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Counter()
    made = {"git": git(), "files": files()}
    async with running(monkeypatch, made, encoder=encoder) as gateway, gateway.client() as client:
        assert encoder.outside == []
        await changes(gateway, "git", *gateway.made["git"].tools, tool("look", "see a picture"))
        embedded = gateway.gateway._index.embedded
        for need in ("rewind it", "push_commits", "see a picture"):
            await found(client, need)
        assert gateway.gateway._index.embedded == embedded
    assert set(encoder.outside) <= {"rewind it", "push_commits", "see a picture"}


async def test_adding_a_tool_embeds_its_texts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [tool(f"undo_{number}", "Go back.") for number in range(30)]
    async with running(monkeypatch, {"many": Made(many)}) as gateway:
        before = gateway.gateway._index.embedded
        await changes(gateway, "many", *many, tool("look", "see a picture"))
        # Its name, its description, and both together.
        assert gateway.gateway._index.embedded - before == 3


@pytest.mark.parametrize(
    ("chosen", "offered"),
    [
        ({"include": ("push_*",)}, ["git__push_commits"]),
        ({"exclude": ("status",)}, ["git__push_commits"]),
        ({"include": ("*",), "exclude": ("push*",)}, ["git__status"]),
    ],
)
async def test_the_configuration_chooses_tools(
    monkeypatch: pytest.MonkeyPatch, chosen: dict[str, Any], offered: list[str]
) -> None:
    made = git()
    made.config = chosen
    async with running(monkeypatch, {"git": made}, start=PINNED) as gateway, gateway.client() as client:
        assert (await names(client))[3:] == offered
        left_out = ({"git__status", "git__push_commits"} - set(offered)).pop()
        assert left_out not in await found(client, left_out)
