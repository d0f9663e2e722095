"""The allowlist, and --read-only, hold on every path to an upstream's tools, prompts and resources."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

from server.gateway.gateway_tools import RESTRICTED
from server.toolset.allowlist import Allowlist
from tests.server.calls import MODES
from tests.server.gateway.made_upstreams import Made, Running, files, git, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.toolset.starts import answer, names, rules

pytestmark = [pytest.mark.anyio]
each_mode = pytest.mark.parametrize("mode", MODES)
TOOLS = ["git__status", "git__push_commits", "files__read_image", "files__status"]
OWN = ["search_tools", "call_tool", "capabilities", "load_family", "smart_load"]
NEEDS = [
    *TOOLS,
    *("status", "push_commits", "read_image", "git", "files", "run push_commits with read_image"),
    *("rewind", "plug it in outside", "see a picture", "connect", "what does it cost"),
]
RULES: dict[str, tuple[list[str], list[str]]] = {
    "a server": (["git"], TOOLS[:2]),
    "a tool": (["files__read_image"], ["files__read_image"]),
    "tools of any server": (["*__status"], ["git__status", "files__status"]),
    "everything": (["*"], TOOLS),
    "nothing": ([], []),
}
each_rule = pytest.mark.parametrize(("items", "permitted"), RULES.values(), ids=RULES)
PINNED = frozenset({"*"})


def served(
    monkeypatch: pytest.MonkeyPatch, items: list[str] | None, made: Mapping[str, Made] | None = None, **start: Any
) -> AbstractAsyncContextManager[Running]:
    allowlist = {} if items is None else {"allowlist": rules(the_caller=items)}
    begun = {"dynamic": True, "pinned": PINNED} | allowlist | start
    return running(monkeypatch, made or {"git": git(), "files": files()}, start=begun)


async def shown_to(client: Client) -> str:
    """All that the lists, the documents in every version and depth, and every search show."""
    documents: list[dict[str, Any]] = [
        {},
        {"accept": "v1"},
        {"accept": "v2"},
        {"include_schema": True},
        {"include_schema": True, "verbose": True},
    ]
    shown: list[Any] = [await names(client), client.instructions]
    shown += [tool.model_dump(mode="json") for tool in (await client.list_tools()).tools]
    shown += [await answer(client, "capabilities", each) for each in documents]
    for need in NEEDS:
        shown.append(await answer(client, "search_tools", {"need": need}))
        shown.append(await answer(client, "smart_load", {"intent": need}) | {"query": ""})
    shown += [prompt.name for prompt in (await client.list_prompts()).prompts]
    shown += [str(resource.uri) for resource in (await client.list_resources()).resources]
    return json.dumps(shown)


@each_mode
@each_rule
async def test_exactly_what_is_permitted_is_listed_and_runs(
    monkeypatch: pytest.MonkeyPatch, mode: str, items: list[str], permitted: list[str]
) -> None:
    async with served(monkeypatch, items) as gateway, gateway.client(mode) as client:
        assert await names(client) == [*OWN, *permitted]
        for name in TOOLS:
            arguments = {"branch": "main"}
            for way, given in ((name, arguments), ("call_tool", {"name": name, "arguments": arguments})):
                if name in permitted:
                    assert not (await client.call_tool(way, given)).is_error
                else:
                    with pytest.raises(MCPError) as caught:
                        await client.call_tool(way, given)
                    assert caught.value.error.data["reason"] == "not_permitted"
    ran = sorted(f"{server}__{name}" for server, made in gateway.made.items() for name in made.calls)
    assert ran == sorted([*permitted, *permitted])


@each_rule
async def test_what_is_not_permitted_is_named_nowhere(
    monkeypatch: pytest.MonkeyPatch, items: list[str], permitted: list[str]
) -> None:
    async with served(monkeypatch, items) as gateway, gateway.client() as client:
        shown = await shown_to(client)
    assert [name for name in TOOLS if name in shown] == permitted
    servers = [server for server in ("git", "files") if any(name.startswith(server) for name in permitted)]
    assert [server for server in ("git", "files") if f'"{server}' in shown] == servers


async def test_a_bare_name_runs_the_permitted_tool_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
        assert not (await client.call_tool("call_tool", {"name": "status"})).is_error
        with pytest.raises(MCPError) as caught:
            await client.call_tool("call_tool", {"name": "push_commits"})
    assert (gateway.made["git"].calls, gateway.made["files"].calls) == ([], ["status"])
    assert "git__" not in f"{caught.value.error.message}{caught.value.error.data}"


async def test_a_name_that_several_have_is_resolved_among_those_permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
        found = await answer(client, "search_tools", {"need": "status"})
    assert (found["decision"], found["tools"][0]["matchConfidence"]) == ("resolved", 1)


@pytest.mark.parametrize("hidden", ["git__push_commits", "push_commits", "git"])
async def test_the_name_of_something_hidden_is_answered_like_an_unknown_one(
    monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    async with served(monkeypatch, ["files"]) as gateway, gateway.client() as client:
        with_it = await answer(client, "search_tools", {"need": hidden})
    async with served(monkeypatch, ["files"], {"files": files()}) as gateway, gateway.client() as client:
        without = await answer(client, "search_tools", {"need": hidden})
    assert (with_it["decision"], with_it["tools"]) == (without["decision"], without["tools"])


@each_rule
async def test_a_family_is_loaded_with_its_permitted_tools(
    monkeypatch: pytest.MonkeyPatch, items: list[str], permitted: list[str]
) -> None:
    async with served(monkeypatch, items) as gateway, gateway.client() as client:
        for family in ("git", "files"):
            mine = [name for name in permitted if name.startswith(family)]
            result = await client.call_tool("load_family", {"family": family})
            assert [each["name"] for each in (result.structured_content or {"tools": []})["tools"]] == mine


@each_mode
async def test_prompts_and_resources_of_other_servers_are_not_there(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    async with served(monkeypatch, ["files"]) as gateway, gateway.client(mode) as client:
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


@pytest.mark.parametrize(("items", "there"), [(None, True), (["bare"], True), (["bare__*"], True), (["git"], False)])
async def test_a_server_without_tools_offers_its_resources(
    monkeypatch: pytest.MonkeyPatch, items: list[str] | None, there: bool
) -> None:
    made = {"git": Made([tool("status")]), "bare": Made(prompts=["review"], resources=["bare://one"])}
    async with served(monkeypatch, items, made) as gateway, gateway.client() as client:
        assert bool((await client.list_resources()).resources) is there
        assert bool((await client.list_prompts()).prompts) is there


@each_mode
async def test_over_http_a_caller_without_a_rule_has_nothing(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    start = {"dynamic": True, "pinned": PINNED, "allowlist": Allowlist({})}
    made = {"git": git(), "files": files()}
    async with (
        running(monkeypatch, made, start=start, several_callers=True) as gateway,
        gateway.client(mode) as client,
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


@each_mode
async def test_over_http_each_caller_has_what_its_rule_names(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    start = {"pinned": PINNED, "allowlist": rules(one=["git"], two=["files__status"])}
    made = {"git": git(), "files": files()}
    async with (
        running(monkeypatch, made, start=start, several_callers=True) as gateway,
        gateway.client(mode, "one") as one,
        gateway.client(mode, "two") as two,
    ):
        assert [name for name in await names(one) if name in TOOLS] == TOOLS[:2]
        assert [name for name in await names(two) if name in TOOLS] == ["files__status"]
        assert not (await one.call_tool("git__status", {})).is_error
        assert not (await two.call_tool("call_tool", {"name": "status"})).is_error
    assert (made["git"].calls, made["files"].calls) == (["status"], ["status"])


@each_mode
async def test_read_only_permits_what_declares_to_change_nothing(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    async with served(monkeypatch, None, read_only=True) as gateway, gateway.client(mode) as client:
        assert [name for name in await names(client) if name in TOOLS] == ["git__status", "files__read_image"]
        shown = await shown_to(client)
        for name in ("git__push_commits", "files__status"):
            with pytest.raises(MCPError) as caught:
                await client.call_tool("call_tool", {"name": name, "arguments": {"branch": "main"}})
            assert "--read-only" in caught.value.error.message
    assert "files__status" not in shown
    assert "git__push_commits" not in shown


async def test_where_callers_differ_the_search_says_nothing_of_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, ["git"]) as gateway, gateway.client() as client:
        (search,) = [each for each in (await client.list_tools()).tools if each.name == "search_tools"]
        told = f"{search.description} {client.instructions}"
    assert RESTRICTED in told
    assert "files" not in told
    assert "git" not in told


async def test_without_an_allowlist_the_search_says_what_lies_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, None) as gateway, gateway.client() as client:
        (search,) = [each for each in (await client.list_tools()).tools if each.name == "search_tools"]
    assert "4 tools of 2 servers: git (2: " in str(search.description)
