"""Tools that are known at the start, and those that the configuration chooses; nothing is embedded for a query."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from server.gateway.tool_catalog.tool_index import BUILDER
from tests.server.gateway.changing import PINNED, changes, found
from tests.server.gateway.made_upstreams import LIMITS, Made, files, gateway_of, git, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.toolset.starts import answer, names
from tests.toy import ToyEncoder

pytestmark = [pytest.mark.anyio]


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
        """Texts that threads other than the index's own have embedded."""
        return [text for name, texts in self.by_thread.items() if name != BUILDER for text in texts]


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
    assert each["status"].endswith("; listed as at its last start")


async def test_a_resource_is_read_as_soon_as_its_server_has_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = gateway_of(monkeypatch, {"git": git()}, limits=replace(LIMITS, patience=20.0))
    async with gateway.gateway.running(), gateway.client() as client:
        assert (await client.read_resource("gateway://git/git://head")).contents


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


async def test_the_configuration_chooses_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"include": ("push_*",)}, ["git__push_commits"]),
        ({"exclude": ("status",)}, ["git__push_commits"]),
        ({"include": ("*",), "exclude": ("push*",)}, ["git__status"]),
    ]
    for chosen, offered in cases:
        made = git()
        made.config = chosen
        async with running(monkeypatch, {"git": made}, start=PINNED) as gateway, gateway.client() as client:
            assert (await names(client))[3:] == offered, chosen
            left_out = ({"git__status", "git__push_commits"} - set(offered)).pop()
            assert left_out not in await found(client, left_out), chosen
