"""An allowlist of servers and tools, and --read-only, hold on every path to a remote tool."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from server.errors import CallerError, Parts
from server.toolset.permissions import Allowlist
from tests.server.calls import MODERN
from tests.server.toolset.remote_tools import DOWN, FILES, GIT, Servers, client_of, remote
from tests.server.toolset.starts import answer, names, rules

pytestmark = pytest.mark.anyio
PINNED = frozenset({"*"})
TOOLS = [tool.name for tool in (*GIT, *FILES)]
WORDS = {
    "git__status": "undo and restore",
    "git__push": "plug outside",
    "files__read": "see a picture",
    "files__status": "connect tools",
}
"""The tools' descriptions, which find them."""

RULES: dict[str, tuple[list[str], list[str]]] = {
    "a server": (["git"], ["git__status", "git__push"]),
    "a tool": (["files__read"], ["files__read"]),
    "tools of a server": (["git__*"], ["git__status", "git__push"]),
    "tools of any server": (["*__status"], ["git__status", "files__status"]),
    "servers by a glob": (["f*"], ["files__read", "files__status"]),
    "several": (["git__push", "*__read"], ["git__push", "files__read"]),
    "everything": (["*"], TOOLS),
    "only stars are special": (["git__pus?", "git__[a-z]*"], []),
    "nothing": ([], []),
}
each_rule = pytest.mark.parametrize(("items", "permitted"), RULES.values(), ids=RULES)


def by(items: list[str], **start: Any) -> Client:
    source = Servers(*GIT, *FILES, dynamic=True)
    return client_of(source, MODERN, allowlist=rules(the_caller=items), pinned=PINNED, **start)


async def everything(client: Client) -> list[Any]:
    """Return what the documents, the list, and the searches for every tool show the caller."""
    documents: tuple[dict[str, Any], ...] = (
        {},
        {"accept": "v1"},
        {"accept": "v2"},
        {"include_schema": True, "verbose": True},
    )
    intents = [
        intent
        for tool in (*GIT, *FILES)
        for intent in (tool.name, tool.own_name, tool.family, tool.title, WORDS[tool.name])
    ]
    return [
        await names(client),
        *[await answer(client, "capabilities", arguments) for arguments in documents],
        *[{**await answer(client, "smart_load", {"intent": intent}), "query": ""} for intent in intents],
    ]


async def test_exactly_what_is_permitted_is_listed_and_runs(subtests: pytest.Subtests) -> None:
    for items, permitted in RULES.values():
        with subtests.test(items=items, permitted=permitted):
            async with by(items) as client:
                assert [name for name in await names(client) if name in TOOLS] == permitted
                for name in TOOLS:
                    for way, arguments in ((name, {}), ("call_tool", {"name": name})):
                        if name in permitted:
                            assert not (await client.call_tool(way, arguments)).is_error
                        else:
                            with pytest.raises(MCPError) as caught:
                                await client.call_tool(way, arguments)
                            assert caught.value.error.data["reason"] == "not_permitted"


async def test_what_is_not_permitted_is_named_nowhere() -> None:
    for items, permitted in RULES.values():
        async with by(items) as client:
            shown = json.dumps(await everything(client))
        assert [name for name in TOOLS if name in shown] == permitted, (items, permitted)


async def test_unknown_names_are_answered_with_what_is_permitted(subtests: pytest.Subtests) -> None:
    for items, permitted in RULES.values():
        with subtests.test(items=items, permitted=permitted):
            async with by(items) as client:
                for name in ("git__stat", "files__rea", "status_of_git", "pushh"):
                    with pytest.raises(MCPError) as caught:
                        await client.call_tool("call_tool", {"name": name})
                    error = caught.value.error
                    assert not [
                        tool for tool in TOOLS if tool in f"{error.message}{error.data}" and tool not in permitted
                    ]


async def test_a_family_is_loaded_with_the_tools_that_are_permitted() -> None:
    for items, permitted in RULES.values():
        async with by(items) as client:
            for family in ("git", "files"):
                mine = [name for name in permitted if name.startswith(family)]
                result = await client.call_tool("load_family", {"family": family})
                assert result.is_error is (not mine), (items, permitted)
                content = result.structured_content or {"tools": []}
                assert [tool["name"] for tool in content["tools"]] == mine, (items, permitted)


async def test_without_an_allowlist_everything_is_permitted() -> None:
    async with client_of(Servers(*GIT, *FILES), "auto", pinned=PINNED) as client:
        assert [name for name in await names(client) if name in TOOLS] == TOOLS
        assert "agent_permitted_families" not in await answer(client, "capabilities", {})


@pytest.mark.parametrize(("given", "permitted"), [(("*",), TOOLS), ((), [])])
async def test_the_source_says_what_a_caller_without_a_rule_may_use(given: Any, permitted: list[str]) -> None:
    source = Servers(*GIT, *FILES, given=given)
    async with client_of(source, "auto", allowlist=Allowlist({}), pinned=PINNED) as client:
        assert [name for name in await names(client) if name in TOOLS] == permitted


async def test_the_server_s_own_tools_are_permitted_to_everyone() -> None:
    async with by([]) as client:
        assert await names(client) == ["capabilities", "call_tool", "load_family", "smart_load"]
        document = await answer(client, "capabilities", {})
    assert document["agent_permitted_families"] == ["gateway"]


async def test_read_only_permits_what_declares_to_change_nothing() -> None:
    source = Servers(*GIT, *FILES, dynamic=True)
    async with client_of(source, MODERN, read_only=True, pinned=PINNED) as client:
        assert [name for name in await names(client) if name in TOOLS] == ["git__status", "files__read"]
        shown = json.dumps(await everything(client))
        assert "git__push" not in shown
        assert "files__status" not in shown
        for name in ("git__push", "files__status"):
            with pytest.raises(MCPError) as caught:
                await client.call_tool("call_tool", {"name": name})
            assert caught.value.error.data["reason"] == "not_permitted"
            assert "--read-only" in caught.value.error.message


async def test_read_only_and_the_allowlist_both_decide() -> None:
    async with by(["git"], read_only=True) as client:
        assert [name for name in await names(client) if name in TOOLS] == ["git__status"]


async def test_a_server_of_which_no_tool_is_known_is_shown_to_those_who_may_use_it() -> None:
    source = Servers()
    source.change(*FILES, git=DOWN)
    shown = {}
    for item in ("git", "git__*", "files", "git__push"):
        async with client_of(source, "auto", allowlist=rules(the_caller=[item])) as client:
            shown[item] = (await answer(client, "capabilities", {}))["agent_permitted_families"]
    own = ["gateway"]
    assert shown == {"git": ["git", *own], "git__*": ["git", *own], "files": ["files", *own], "git__push": own}


async def test_a_tool_that_was_found_but_has_gone_since_is_left_out() -> None:
    source = Servers(*GIT, dynamic=True)
    stale = source.offer().finder
    source.change(GIT[1], remote("git", "log"))
    object.__setattr__(source.offer(), "finder", stale)
    async with client_of(source, "auto") as client:
        found = await answer(client, "smart_load", {"intent": WORDS["git__status"]})
    assert "git__status" not in json.dumps(found)


def test_patterns_are_read_from_the_same_file_as_families(tmp_path: Path) -> None:
    path = tmp_path / "allowlist.toml"
    path.write_text('"team-*" = ["git", " git__* "]\n', encoding="utf-8")
    assert Allowlist.read(path, patterns=True).permitted("team-red", frozenset()) == {"git", "git__*"}


def test_a_rule_that_is_no_list_of_patterns_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[Any] = ["git", [3], [""], [" "], {"git": True}]
    for rule in cases:
        with subtests.test(rule=rule):
            path = tmp_path / "allowlist.json"
            path.write_text(json.dumps({"ann": rule}), encoding="utf-8")
            with pytest.raises(CallerError) as caught:
                Allowlist.read(path, patterns=True)
            parts = Parts.of(caught.value)
            assert "'ann'" in parts.value
            assert "git__*" in parts.rule


def test_globs_are_refused_where_families_are_known(tmp_path: Path) -> None:
    path = tmp_path / "allowlist.json"
    path.write_text(json.dumps({"ann": ["co*"]}), encoding="utf-8")
    with pytest.raises(CallerError):
        Allowlist.read(path)
