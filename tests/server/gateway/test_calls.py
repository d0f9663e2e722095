"""Calls through the gateway: arguments and results."""

from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from tests.server.calls import text_of
from tests.server.gateway.calling import BARE, FULL, WAYS, acting, called
from tests.server.gateway.made_upstreams import WITH_BRANCH, Context, Result, git, running
from tests.server.gateway.upstreams.web_server import everything

pytestmark = [pytest.mark.anyio]


async def whole(context: Context, params: types.CallToolRequestParams) -> Result:
    return everything()


async def malformed(context: Context, params: types.CallToolRequestParams) -> Any:
    nonsense = [{"type": "nonsense"}]
    return {"content": nonsense, "resultType": "complete", "_meta": {"made.example/note": "seen anyway"}}


async def test_a_result_is_passed_on_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for way in WAYS:
        start = {"pinned": frozenset({"*"})}
        async with running(monkeypatch, acting(whole), start=start) as gateway, gateway.client() as client:
            got = await called(client, way)
        sent = everything()
        assert [part.type for part in got.content] == [part.type for part in sent.content], way
        assert got.content[:3] == sent.content[:3], way
        assert (got.structured_content, got.is_error) == (sent.structured_content, True), way
        assert got.meta["made.example/key"] == "kept", way


async def test_links_of_a_result_can_be_read_through_the_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    made = acting(whole)
    made["far"].resources = ["made://one"]
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        got = await called(client, FULL)
        (link,) = [part for part in got.content if isinstance(part, types.ResourceLink)]
        (contents,) = (await client.read_resource(link.uri)).contents
    assert link.uri != "made://one"
    assert isinstance(contents, types.TextResourceContents)
    assert contents.text == "content"


async def test_an_error_of_the_tool_is_no_error_of_the_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(context: Context, params: types.CallToolRequestParams) -> Result:
        return types.CallToolResult(content=[types.TextContent(text="no such branch")], is_error=True)

    async with running(monkeypatch, acting(failing)) as gateway, gateway.client() as client:
        got = await called(client, BARE)
    assert (text_of(got), got.is_error) == ("no such branch", True)
    async with running(monkeypatch, acting(malformed)) as gateway, gateway.client() as client:
        got = await called(client, FULL)
    assert got.is_error
    assert "malformed" in text_of(got)
    assert "seen anyway" in text_of(got)


async def test_a_protocol_error_of_the_server_is_a_result_that_the_model_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refusing(context: Context, params: types.CallToolRequestParams) -> Result:
        raise MCPError(code=-32602, message="the moon is closed")

    async with running(monkeypatch, acting(refusing)) as gateway, gateway.client() as client:
        got = await called(client, FULL)
        again = await called(client, FULL)
    assert got.is_error
    assert "the moon is closed" in text_of(got)
    assert again.is_error
    assert gateway.made["far"].calls == ["act", "act"]


async def test_wrong_arguments_are_told_by_field_and_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for way in WAYS:
        cases: list[tuple[dict[str, Any], list[str]]] = [
            ({}, ["'branch'", "missing"]),
            ({"branch": 3}, ["'branch'", "must be of type string"]),
            ({"branch": "main", "count": "many"}, ["'count'", "must be of type integer"]),
        ]
        for arguments, told in cases:
            start = {"pinned": frozenset({"*"})}
            made = acting(whole, inputSchema=WITH_BRANCH)
            async with running(monkeypatch, made, start=start) as gateway, gateway.client() as client:
                got = await called(client, way, arguments)
            assert got.is_error, arguments
            assert [part for part in told if part not in text_of(got)] == [], arguments
            assert made["far"].calls == [], arguments


async def test_call_tool_runs_the_gateways_own_tools_but_not_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        got = await client.call_tool("call_tool", {"name": "call_tool", "arguments": {"name": "git__status"}})
    assert got.is_error
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        got = await client.call_tool("call_tool", {"name": "search_tools", "arguments": {"need": "push_commits"}})
    assert got.structured_content
    assert got.structured_content["decision"] == "resolved"
