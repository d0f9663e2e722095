"""The documents and the tools that load others tell of remote tools as of any."""

from typing import Any

import pytest

from server.tools.meta.surface import JARGON
from tests.server.calls import MODES, text_of
from tests.server.toolset.remote_tools import DOWN, FILES, GIT, OWN, Servers, client_of
from tests.server.toolset.starts import answer, names

pytestmark = [pytest.mark.anyio]
each_mode = pytest.mark.parametrize("mode", MODES)


@each_mode
async def test_the_document_has_the_families_of_the_source(mode: str) -> None:
    async with client_of(Servers(*GIT, *FILES), mode) as client:
        document = await answer(client, "capabilities", {})
    assert document["profile"] == OWN
    assert document["families"] == [
        {"name": "git", "description": "the tools of git", "tools": ["git__status", "git__push"], "loaded": False},
        {
            "name": "files",
            "description": "the tools of files",
            "tools": ["files__read", "files__status"],
            "loaded": False,
        },
        {
            "name": OWN,
            "description": "finding and calling tools",
            "tools": ["capabilities", "call_tool"],
            "loaded": True,
        },
    ]
    assert document["tools"][0] == {"name": "git__status", "family": "git", "loaded": False, "callable_now": True}
    assert document["summary"].startswith("4 tools of 2 servers (git: 2, files: 2).")


async def test_the_ways_to_a_tool_are_those_that_the_server_has() -> None:
    async with client_of(Servers(*GIT), "auto") as client:
        few = (await answer(client, "capabilities", {}))["summary"]
    async with client_of(Servers(*GIT, dynamic=True), "auto") as client:
        more = (await answer(client, "capabilities", {}))["summary"]
    assert few.endswith("then call it with call_tool(name=<tool>, arguments=<object>).")
    assert [word in more for word in ("load_family", "smart_load", "call_tool", "--profile")] == [
        True,
        True,
        True,
        False,
    ]


async def test_users_hear_of_the_tools_in_the_source_s_words() -> None:
    async with client_of(Servers(*GIT, *FILES), "auto", pinned=frozenset({"git__push"})) as client:
        said = (await answer(client, "capabilities", {}))["to_describe_to_user"]
    assert said == "I can use 4 tools of 2 servers (git: 2, files: 2)."
    assert not [word for word in JARGON if word in said]


async def test_a_family_whose_server_is_not_ready_says_so() -> None:
    source = Servers()
    source.change(*GIT, *FILES, git=DOWN)
    async with client_of(source, "auto", pinned=frozenset({"git__push"})) as client:
        document = await answer(client, "capabilities", {})
    families = {family["name"]: family for family in document["families"]}
    assert families["git"]["not_ready"] == {
        "state": "down",
        "since": "2026-08-22T12:00:00+00:00",
        "why": "it ended with status 1",
    }
    assert "not_ready" not in families["files"]
    pushed = next(tool for tool in document["tools"] if tool["name"] == "git__push")
    assert (pushed["loaded"], pushed["callable_now"]) == (True, False)


async def test_tools_are_shown_in_depth_with_their_own_schemas() -> None:
    async with client_of(Servers(*GIT), "auto") as client:
        arguments = {"family": "git", "include_schema": True, "verbose": True}
        status, push = (await answer(client, "capabilities", arguments))["tools"]
    assert status["title"] == "status of git"
    assert status["input_schema"] == {"type": "object", "properties": {"repo": {"type": "string"}}}
    assert "output_schema" not in push


async def loaded(mode: str, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    async with client_of(Servers(*GIT, *FILES, dynamic=True), mode) as client:
        found = await answer(client, tool, arguments)
        return found, await names(client)


@pytest.mark.parametrize(
    ("tool", "arguments"), [("load_family", {"family": " GIT "}), ("smart_load", {"intent": "restore it, undo"})]
)
async def test_a_family_is_loaded_where_the_connection_remembers_it(tool: str, arguments: dict[str, Any]) -> None:
    for mode in MODES:
        found, listed = await loaded(mode, tool, arguments)
        result = found.get("result", found)
        assert [each["name"] for each in result["tools"]] == ["git__status", "git__push"]
        assert result["tools"][0]["inputSchema"] == GIT[0].tool.input_schema
        assert ("git__push" in listed) is (mode == "legacy")
        assert (result["callBy"] == "name") is (mode == "legacy")


async def test_a_tool_of_a_loaded_family_is_called_by_its_name() -> None:
    async with client_of(Servers(*GIT, *FILES, dynamic=True), "legacy") as client:
        await answer(client, "load_family", {"family": "files"})
        assert text_of(await client.call_tool("files__read", {})) == "ran with {}"
        document = await answer(client, "capabilities", {})
    assert document["profile"] == "files"


async def test_an_intent_that_no_tool_serves_loads_nothing() -> None:
    found, _ = await loaded("legacy", "smart_load", {"intent": "book a flight to Lisbon"})
    assert found["decision"] == "no_match"


async def test_without_any_server_nothing_is_found_and_nothing_breaks() -> None:
    async with client_of(Servers(dynamic=True), "auto") as client:
        assert (await answer(client, "smart_load", {"intent": "undo"}))["decision"] == "no_match"
        document = await answer(client, "capabilities", {})
    assert document["to_describe_to_user"] == "There are no connected tools for me to use here."


async def test_a_family_without_tools_is_not_loaded() -> None:
    source = Servers(dynamic=True)
    source.change(git=DOWN)
    async with client_of(source, "legacy") as client:
        refused = await client.call_tool("load_family", {"family": "git"})
    assert refused.is_error
    assert text_of(refused) == (
        "family 'git' has no tools yet; its server is down since 2026-08-22T12:00:00+00:00 (it ended with status 1); "
        "call again in a minute"
    )
