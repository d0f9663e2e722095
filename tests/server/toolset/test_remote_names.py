"""The answers to a caller who names a remote tool: it runs, or one of four errors says why not."""

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND

from server.errors import Parts
from tests.server.calls import MODERN, text_of
from tests.server.toolset.remote_tools import DOWN, FILES, GIT, Servers, client_of, remote
from tests.server.toolset.starts import rules

pytestmark = pytest.mark.anyio


async def through(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool("call_tool", {"name": name, "arguments": arguments})
    assert not result.is_error, result.content
    return text_of(result)


async def error_of(client: Client, name: str) -> tuple[int, str, dict[str, Any]]:
    with pytest.raises(MCPError) as caught:
        await client.call_tool("call_tool", {"name": name})
    error = caught.value.error
    Parts.of(error.message)
    return error.code, error.message, error.data


async def test_a_full_name_runs_the_tool() -> None:
    async with client_of(Servers(*GIT, *FILES), MODERN) as client:
        assert await through(client, "git__status", repo="here") == "ran with {'repo': 'here'}"


async def test_an_own_name_that_one_tool_has_runs_it() -> None:
    async with client_of(Servers(*GIT, *FILES), MODERN) as client:
        assert await through(client, "push") == "ran with {}"


async def test_an_own_name_that_several_tools_have_is_answered_with_their_full_names() -> None:
    async with client_of(Servers(*GIT, *FILES), "auto") as client:
        code, message, data = await error_of(client, "status")
    assert (code, data) == (INVALID_PARAMS, {"reason": "unknown_tool", "nearest": ["git__status", "files__status"]})
    assert "git__status, files__status" in message


async def test_an_own_name_is_that_of_the_only_tool_that_is_permitted() -> None:
    async with client_of(Servers(*GIT, *FILES), "auto", allowlist=rules(the_caller=["files"])) as client:
        assert await through(client, "status") == "ran with {}"


async def test_a_full_name_comes_before_the_own_name_of_another() -> None:
    source = Servers(remote("a", "b"), remote("x", "a__b"))
    async with client_of(source, "auto", allowlist=rules(the_caller=["x"])) as client:
        _, _, data = await error_of(client, "a__b")
    assert data["reason"] == "not_permitted"


async def test_a_tool_that_is_there_but_not_permitted_is_told_by_its_exact_name_only() -> None:
    async with client_of(Servers(*GIT, *FILES), "auto", allowlist=rules(the_caller=["files"])) as client:
        code, message, data = await error_of(client, "git__push")
        near = [await error_of(client, name) for name in ("push", "git__pusk", "pushing")]
    assert (code, data["reason"], data["permitted_families"]) == (INVALID_PARAMS, "not_permitted", ["files", "gateway"])
    assert "allowlist" in message
    assert {found["reason"] for _, _, found in near} == {"unknown_tool"}
    assert "git" not in str([(message.partition(";")[2], found) for _, message, found in near])


async def test_a_tool_of_a_server_that_is_down_says_since_when_and_why() -> None:
    source = Servers()
    source.change(*GIT, *FILES, git=DOWN)
    async with client_of(source, "auto") as client:
        code, message, data = await error_of(client, "git__push")
        assert await through(client, "read") == "ran with {}"
    assert code == INTERNAL_ERROR
    assert data == {
        "reason": "server_unavailable",
        "server": "git",
        "state": "down",
        "since": "2026-08-22T12:00:00+00:00",
        "why": "it ended with status 1",
    }
    assert message == (
        "tool 'git__push' cannot be called now; its server 'git' is down since 2026-08-22T12:00:00+00:00 "
        "(it ended with status 1); call again in a minute"
    )


async def test_a_tool_that_a_server_has_not_told_of_yet_is_not_called_unknown() -> None:
    source = Servers()
    source.change(*FILES, git=DOWN)
    async with client_of(source, "auto") as client:
        _, _, data = await error_of(client, "git__push")
        _, _, bare = await error_of(client, "push")
    assert (data["reason"], data["server"]) == ("server_unavailable", "git")
    assert (bare["reason"], bare["not_ready"]) == ("unknown_tool", ["git"])


async def test_a_server_that_is_not_ready_is_hidden_from_those_who_may_not_use_it() -> None:
    source = Servers()
    source.change(*FILES, git=DOWN)
    async with client_of(source, "auto", allowlist=rules(the_caller=["files"])) as client:
        _, message, data = await error_of(client, "git__push")
    assert data["reason"] == "unknown_tool"
    assert "git" not in message.partition(";")[2] + str(data)


async def test_one_tool_can_be_held_back() -> None:
    source = Servers()
    source.change(*GIT, git__push=DOWN)
    async with client_of(source, "auto") as client:
        _, _, data = await error_of(client, "git__push")
        assert await through(client, "git__status")
    assert data["reason"] == "server_unavailable"


async def test_an_unknown_tool_is_answered_with_the_nearest_names() -> None:
    async with client_of(Servers(*GIT, *FILES), "auto") as client:
        _, message, data = await error_of(client, "git_pussh")
    assert data["nearest"][0] == "git__push"
    assert "known: git__status, git__push, files__read" in message


async def test_of_many_tools_only_the_nearest_are_named() -> None:
    many = [remote("many", f"tool_{number}") for number in range(50)]
    async with client_of(Servers(*many), "auto") as client:
        _, message, data = await error_of(client, "tool_33x")
    assert data["nearest"][0] == "many__tool_33"
    assert "known: 52 tools;" in message


async def test_a_tool_that_is_not_listed_is_called_through_call_tool() -> None:
    async with client_of(Servers(*GIT), MODERN) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("git__push", {})
    assert caught.value.error.code == METHOD_NOT_FOUND
    assert caught.value.error.data["recovery"] == ["call call_tool(name='git__push', arguments=<object>)"]


async def test_a_pinned_tool_is_listed_and_called_by_its_name() -> None:
    async with client_of(Servers(*GIT, *FILES), MODERN, pinned=frozenset({"*__read"})) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == ["files__read", "capabilities", "call_tool"]
        assert text_of(await client.call_tool("files__read", {})) == "ran with {}"
