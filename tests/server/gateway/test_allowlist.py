"""The allowlist holds on every path to an upstream's tools."""

import pytest
from mcp.shared.exceptions import MCPError

from tests.server.gateway.made_upstreams import files
from tests.server.gateway.permitted import OWN, RULES, TOOLS, served, shown_to
from tests.server.toolset.starts import answer, names

pytestmark = [pytest.mark.anyio]


async def test_exactly_what_is_permitted_is_listed_and_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for items, permitted in RULES.values():
        async with served(monkeypatch, items) as gateway, gateway.client() as client:
            assert await names(client) == [*OWN, *permitted], items
            for name in TOOLS:
                arguments = {"branch": "main"}
                for way, given in ((name, arguments), ("call_tool", {"name": name, "arguments": arguments})):
                    if name in permitted:
                        assert not (await client.call_tool(way, given)).is_error, items
                    else:
                        with pytest.raises(MCPError) as caught:
                            await client.call_tool(way, given)
                        assert caught.value.error.data["reason"] == "not_permitted", items
        ran = sorted(f"{server}__{name}" for server, made in gateway.made.items() for name in made.calls)
        assert ran == sorted([*permitted, *permitted]), items


async def test_what_is_not_permitted_is_named_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for items, permitted in RULES.values():
        async with served(monkeypatch, items) as gateway, gateway.client() as client:
            shown = await shown_to(client)
        assert [name for name in TOOLS if name in shown] == permitted, items
        servers = [server for server in ("git", "files") if any(name.startswith(server) for name in permitted)]
        assert [server for server in ("git", "files") if f'"{server}' in shown] == servers, items


async def test_names_are_those_of_permitted_tools_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
        assert not (await client.call_tool("call_tool", {"name": "status"})).is_error
        with pytest.raises(MCPError) as caught:
            await client.call_tool("call_tool", {"name": "push_commits"})
    assert (gateway.made["git"].calls, gateway.made["files"].calls) == ([], ["status"])
    assert "git__" not in f"{caught.value.error.message}{caught.value.error.data}"
    async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
        found = await answer(client, "search_tools", {"need": "status"})
    assert (found["decision"], found["tools"][0]["matchConfidence"]) == ("resolved", 1)


async def test_the_name_of_something_hidden_is_answered_like_an_unknown_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for hidden in ["git__push_commits", "push_commits", "git"]:
        async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
            with_it = await answer(client, "search_tools", {"need": hidden})
        async with served(monkeypatch, ["files"], {"files": files()}) as gateway, gateway.client() as client:
            without = await answer(client, "search_tools", {"need": hidden})
        assert (with_it["decision"], with_it["tools"]) == (without["decision"], without["tools"]), hidden
