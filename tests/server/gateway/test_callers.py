"""Connections of several callers, and prompts and resources that are left out."""

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.server.calls import text_of
from tests.server.gateway.made_upstreams import git, running
from tests.server.toolset.starts import rules

pytestmark = [pytest.mark.anyio]
EVERYONE = {"allowlist": rules(one=["*"], two=["*"])}


async def calls(*clients: Client) -> None:
    for client in clients:
        for _ in range(2):
            assert text_of(await client.call_tool("call_tool", {"name": "status"})) == "status ran with {}"


async def test_over_http_each_caller_has_one_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"git": git()}
    async with (
        running(monkeypatch, made, start=EVERYONE, several_callers=True) as gateway,
        gateway.client(name="one") as one,
        gateway.client(name="two") as two,
    ):
        assert made["git"].opened == 1
        await calls(one, two, one)
        assert made["git"].opened == 3


async def test_a_shared_server_is_connected_to_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["git", "gateway"]:
        made = {name: git()}
        async with (
            running(monkeypatch, made, start=EVERYONE, several_callers=True, shared=frozenset({name})) as gateway,
            gateway.client(name="one") as one,
            gateway.client(name="two") as two,
        ):
            await calls(one, two)
        assert made[name].opened == 1, name


async def test_over_stdio_there_is_one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"git": git()}
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        await calls(client)
    assert made["git"].opened == 1


async def test_a_caller_s_own_connection_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"git": git()}
    async with (
        running(monkeypatch, made, start=EVERYONE, several_callers=True) as gateway,
        gateway.client(name="one") as client,
    ):
        made["git"].fault = "down"
        result = await client.call_tool("call_tool", {"name": "status"})
    assert result.is_error
    assert "server 'git': down since" in text_of(result)


async def test_without_resources_none_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}, resources=False) as gateway, gateway.client() as client:
        assert client.server_capabilities.resources is None
        assert client.server_capabilities.prompts is None
        with pytest.raises(MCPError):
            await client.list_resources()
