"""The allowlist holds for prompts and resources, and over HTTP; --read-only; what the search says of servers."""

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

from server.gateway.gateway_tools import RESTRICTED
from server.toolset.permissions import Allowlist
from tests.server.gateway.made_upstreams import Made, files, git, running
from tests.server.gateway.permitted import OWN, PINNED, TOOLS, served, shown_to
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.toolset.starts import names, rules

pytestmark = [pytest.mark.anyio]


async def test_prompts_and_resources_of_other_servers_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
        assert (await client.list_prompts()).prompts == []
        (resource,) = (await client.list_resources()).resources
        assert "files" in resource.uri
        for request in (
            client.get_prompt("git__review"),
            client.read_resource(resource.uri.replace("files", "git", 1).replace("files://one", "git://head")),
        ):
            with pytest.raises(MCPError) as caught:
                await request
            assert "unknown" in caught.value.error.message
        with_ref = await client.complete(PromptReference(name="git__review"), {"name": "who", "value": "a"})
    assert with_ref.completion.values == []


async def test_prompts_and_resources_of_permitted_servers_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["git"]) as gateway, gateway.client() as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["git__review"]
        assert (await client.get_prompt("git__review")).messages
        (resource,) = (await client.list_resources()).resources
        assert (await client.read_resource(resource.uri)).contents
        completed = await client.complete(PromptReference(name="git__review"), {"name": "who", "value": "a"})
    assert completed.completion.values == ["completed"]


async def test_a_server_without_tools_offers_its_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[list[str] | None, bool]] = [(None, True), (["bare"], True), (["bare__*"], True), (["git"], False)]
    for items, there in cases:
        made = {"git": Made([tool("status")]), "bare": Made(prompts=["review"], resources=["bare://one"])}
        async with served(monkeypatch, items, made) as gateway, gateway.client() as client:
            assert bool((await client.list_resources()).resources) is there, items
            assert bool((await client.list_prompts()).prompts) is there, items


async def test_over_http_a_caller_without_a_rule_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    start = {"pinned": PINNED, "allowlist": Allowlist({})}
    made = {"git": git(), "files": files()}
    async with (
        running(monkeypatch, made, start=start, several_callers=True) as gateway,
        gateway.client() as client,
    ):
        assert await names(client) == OWN
        shown = await shown_to(client)
        for name in TOOLS:
            with pytest.raises(MCPError):
                await client.call_tool("call_tool", {"name": name, "arguments": {"branch": "main"}})
    assert [name for name in (*TOOLS, '"git', '"files', "review", "head") if name in shown] == []


async def test_over_stdio_a_caller_without_a_rule_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    start = {"pinned": PINNED, "allowlist": rules(someone_else=["git"])}
    made = {"git": git(), "files": files()}
    async with running(monkeypatch, made, start=start) as gateway, gateway.client() as client:
        assert [name for name in await names(client) if name in TOOLS] == TOOLS


async def test_over_http_each_caller_has_what_its_rule_names(monkeypatch: pytest.MonkeyPatch) -> None:
    start = {"pinned": PINNED, "allowlist": rules(one=["git"], two=["files__status"])}
    made = {"git": git(), "files": files()}
    async with (
        running(monkeypatch, made, start=start, several_callers=True) as gateway,
        gateway.client(name="one") as one,
        gateway.client(name="two") as two,
    ):
        assert [name for name in await names(one) if name in TOOLS] == TOOLS[:2]
        assert [name for name in await names(two) if name in TOOLS] == ["files__status"]
        assert not (await one.call_tool("git__status", {})).is_error
        assert not (await two.call_tool("call_tool", {"name": "status"})).is_error
    assert (made["git"].calls, made["files"].calls) == (["status"], ["status"])


async def test_read_only_permits_what_declares_to_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, None, read_only=True) as gateway, gateway.client() as client:
        assert [name for name in await names(client) if name in TOOLS] == ["git__status", "files__read_image"]
        shown = await shown_to(client)
        for name in ("git__push_commits", "files__status"):
            with pytest.raises(MCPError) as caught:
                await client.call_tool("call_tool", {"name": name, "arguments": {"branch": "main"}})
            assert "--read-only" in caught.value.error.message
    assert "files__status" not in shown
    assert "git__push_commits" not in shown


async def test_the_search_says_what_lies_behind_unless_callers_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["git"]) as gateway, gateway.client() as client:
        (search,) = [each for each in (await client.list_tools()).tools if each.name == "search_tools"]
        told = f"{search.description} {client.instructions}"
    assert RESTRICTED in told
    assert "files" not in told
    assert "git" not in told
    async with served(monkeypatch, None) as gateway, gateway.client() as client:
        (search,) = [each for each in (await client.list_tools()).tools if each.name == "search_tools"]
    assert "4 tools of 2 servers: git (2: " in str(search.description)
