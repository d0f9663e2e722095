"""Calls through the gateway: arguments and results."""

from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from tests.server.calls import text_of
from tests.server.gateway.calling import BARE, FULL, acting, called, each_mode, each_way
from tests.server.gateway.made_upstreams import WITH_BRANCH, Context, Result, git, running
from tests.server.gateway.upstreams.web_server import everything

pytestmark = [pytest.mark.anyio]


async def whole(context: Context, params: types.CallToolRequestParams) -> Result:
    return everything()


async def malformed(context: Context, params: types.CallToolRequestParams) -> Any:
    nonsense = [{"type": "nonsense"}]
    return {"content": nonsense, "resultType": "complete", "_meta": {"made.example/note": "seen anyway"}}


@each_mode
@each_way
async def test_a_result_is_passed_on_whole(monkeypatch: pytest.MonkeyPatch, mode: str, way: str) -> None:
    start = {"pinned": frozenset({"*"})}
    async with running(monkeypatch, acting(whole), start=start) as gateway, gateway.client(mode) as client:
        got = await called(client, way)
    sent = everything()
    assert [part.type for part in got.content] == [part.type for part in sent.content]
    assert got.content[:3] == sent.content[:3]
    assert (got.structured_content, got.is_error) == (sent.structured_content, True)
    assert got.meta["made.example/key"] == "kept"


@each_mode
async def test_links_of_a_result_can_be_read_through_the_gateway(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    made = acting(whole)
    made["far"].resources = ["made://one"]
    async with running(monkeypatch, made) as gateway, gateway.client(mode) as client:
        got = await called(client, FULL)
        (link,) = [part for part in got.content if isinstance(part, types.ResourceLink)]
        (contents,) = (await client.read_resource(link.uri)).contents
    assert link.uri != "made://one"
    assert isinstance(contents, types.TextResourceContents)
    assert contents.text == "content"


@each_mode
async def test_an_error_of_the_tool_is_no_error_of_the_gateway(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    async def failing(context: Context, params: types.CallToolRequestParams) -> Result:
        return types.CallToolResult(content=[types.TextContent(text="no such branch")], is_error=True)

    async with running(monkeypatch, acting(failing)) as gateway, gateway.client(mode) as client:
        got = await called(client, BARE)
    assert (text_of(got), got.is_error) == ("no such branch", True)


@each_mode
async def test_a_malformed_result_is_shown_as_an_error(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    async with running(monkeypatch, acting(malformed)) as gateway, gateway.client(mode) as client:
        got = await called(client, FULL)
    assert got.is_error
    assert "malformed" in text_of(got)
    assert "seen anyway" in text_of(got)


@each_mode
async def test_a_protocol_error_of_the_server_is_a_result_that_the_model_reads(
    monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    async def refusing(context: Context, params: types.CallToolRequestParams) -> Result:
        raise MCPError(code=-32602, message="the moon is closed")

    async with running(monkeypatch, acting(refusing)) as gateway, gateway.client(mode) as client:
        got = await called(client, FULL)
        again = await called(client, FULL)
    assert got.is_error
    assert "the moon is closed" in text_of(got)
    assert again.is_error
    assert gateway.made["far"].calls == ["act", "act"]


@each_mode
@each_way
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, ["'branch'", "missing"]),
        ({"branch": 3}, ["'branch'", "must be of type string"]),
        ({"branch": "main", "count": "many"}, ["'count'", "must be of type integer"]),
    ],
)
async def test_wrong_arguments_are_told_by_field_and_not_sent(
    monkeypatch: pytest.MonkeyPatch, mode: str, way: str, arguments: dict[str, Any], told: list[str]
) -> None:
    start = {"pinned": frozenset({"*"})}
    made = acting(whole, inputSchema=WITH_BRANCH)
    async with running(monkeypatch, made, start=start) as gateway, gateway.client(mode) as client:
        got = await called(client, way, arguments)
    assert got.is_error
    assert [part for part in told if part not in text_of(got)] == []
    assert made["far"].calls == []


async def test_call_tool_calls_not_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        got = await client.call_tool("call_tool", {"name": "call_tool", "arguments": {"name": "git__status"}})
    assert got.is_error


async def test_call_tool_runs_the_gateway_s_own_tools_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        got = await client.call_tool("call_tool", {"name": "search_tools", "arguments": {"need": "push_commits"}})
    assert got.structured_content
    assert got.structured_content["decision"] == "resolved"
