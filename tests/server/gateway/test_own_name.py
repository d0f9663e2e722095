"""A server that is called like the gateway's own tools, which everyone may use, is not taken for these."""

import pytest
from mcp.shared.exceptions import MCPError

from tests.server.gateway.made_upstreams import Made, git, running
from tests.server.toolset.starts import answer, names, rules

pytestmark = [pytest.mark.anyio]
PINNED = frozenset({"*"})


async def test_its_tools_are_permitted_by_a_rule_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["gateway", "Gateway", "@gateway", "gateway/"]:
        start = {"pinned": PINNED, "allowlist": rules(the_caller=["git"])}
        made = {name: git(), "git": git()}
        async with running(monkeypatch, made, start=start) as gateway, gateway.client() as client:
            assert (await names(client))[3:] == ["git__status", "git__push_commits"], name
            for wanted in ("gateway__status", "gateway-server__status"):
                with pytest.raises(MCPError):
                    await client.call_tool("call_tool", {"name": wanted})
        assert made[name].calls == [], name


async def test_its_tools_have_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"gateway": git()}) as gateway, gateway.client() as client:
        (found,) = (await answer(client, "search_tools", {"need": "rewind"}))["tools"]
        assert (found["name"], found["server"]) == ("gateway-server__status", "gateway-server")
        assert not (await client.call_tool("call_tool", {"name": "gateway-server__status"})).is_error


async def test_the_other_name_is_no_other_server_s(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"gateway": git(), "gateway-server": Made(), "@gateway": Made()}
    async with running(monkeypatch, made) as gateway:
        known = list(gateway.gateway._pool.upstreams)
    assert known == ["gateway-server-2", "gateway-server", "gateway-server-3"]
