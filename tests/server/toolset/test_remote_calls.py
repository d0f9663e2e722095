"""A call of a remote tool: what goes to its server, and what comes back."""

from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, Implementation

from server.errors import CallerError, UnavailableToolError
from server.tools.remote_tool import RemoteTool
from server.toolset.toolset import Context
from tests.server.calls import MODERN, text_of
from tests.server.toolset.remote_tools import Handler, Servers, client_of, remote, said, serving

pytestmark = pytest.mark.anyio
PINNED = frozenset({"*"})
BY_NAME, THROUGH = "by name", "through call_tool"
each_way = pytest.mark.parametrize("way", [BY_NAME, THROUGH])


async def called(
    client: Client, way: str, arguments: dict[str, Any] | None = None, **more: Any
) -> types.CallToolResult:
    if way == BY_NAME:
        return await client.call_tool("far__act", arguments or {}, **more)
    return await client.call_tool("call_tool", {"name": "far__act", "arguments": arguments or {}}, **more)


def acting(handler: Handler, **schema: Any) -> Servers:
    return Servers(remote("far", "act", handler=handler, **schema))


@each_way
async def test_the_result_is_passed_on_whole(way: str) -> None:
    whole = types.CallToolResult(
        content=[
            types.TextContent(type="text", text="seen", annotations=types.Annotations(priority=0.5)),
            types.ImageContent(type="image", data="AAAA", mime_type="image/png"),
            types.ResourceLink(type="resource_link", uri="far://1", name="one"),
        ],
        structured_content={"some": [1, None]},
        is_error=True,
        _meta={"far/trace": "7"},
    )

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        return whole

    async with client_of(acting(act), MODERN, pinned=PINNED) as client:
        got = await called(client, way)
    assert (got.content, got.structured_content, got.is_error) == (whole.content, whole.structured_content, True)
    assert got.meta
    assert got.meta["far/trace"] == "7"


@each_way
async def test_progress_and_log_messages_go_back_to_the_caller(way: str) -> None:
    progress: list[Any] = []
    logged: list[Any] = []

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        await context.session.report_progress(1, 2, "half")
        params = types.LoggingMessageNotificationParams(level="warning", data="careful", logger="far")
        await context.session.send_notification(
            types.LoggingMessageNotification(params=params), related_request_id=context.request_id
        )
        return said("done")

    async def on_progress(*given: Any) -> None:
        progress.append(given)

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        logged.append(params.data)

    server = serving(acting(act), pinned=PINNED)
    async with Client(server, mode=MODERN, logging_callback=on_log) as client:
        assert text_of(await called(client, way, progress_callback=on_progress)) == "done"
    assert progress == [(1, 2, "half")]
    assert logged == ["careful"]


@each_way
async def test_a_legacy_client_is_asked_while_the_call_is_held_open(way: str) -> None:
    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        asked = await context.session.elicit_form("name?", {"type": "object", "properties": {}}, context.request_id)
        return said(f"{asked.action} {asked.content}")

    async def on_question(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": "Ann"})

    server = serving(acting(act), pinned=PINNED)
    async with Client(server, mode="legacy", elicitation_callback=on_question) as client:
        assert text_of(await called(client, way)) == "accept {'name': 'Ann'}"


@each_way
async def test_a_client_of_2026_is_asked_by_a_result_that_needs_input(way: str) -> None:
    seen: list[Any] = []

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult | types.InputRequiredResult:
        params = types.CallToolRequestParams.model_validate(dict(context.params or {}))
        seen.append(params.request_state)
        if params.input_responses is None:
            question = types.ElicitRequest(
                params=types.ElicitRequestFormParams(
                    message="name?", requested_schema={"type": "object", "properties": {}}
                )
            )
            return types.InputRequiredResult(input_requests={"q": question}, request_state="7")
        return said("thanks")

    async def on_question(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={})

    server = serving(acting(act), pinned=PINNED)
    async with Client(server, mode="auto", elicitation_callback=on_question) as client:
        assert text_of(await called(client, way)) == "thanks"
    assert seen == [None, "7"]


@each_way
async def test_arguments_that_do_not_fit_are_refused_before_anything_is_sent(way: str) -> None:
    sent: list[Any] = []

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        sent.append(arguments)
        return said("done")

    async with client_of(acting(act, count={"type": "integer"}), MODERN, pinned=PINNED) as client:
        refused = await called(client, way, {"count": "many"})
        assert not (await called(client, way, {"count": 1, "unknown": True})).is_error
    assert refused.is_error
    assert text_of(refused) == (
        "far__act got 'many' for 'count'; it must be of type integer; correct it and call again"
    )
    assert sent == [{"count": 1, "unknown": True}]


async def test_an_error_of_the_far_server_is_passed_on() -> None:
    for way in (BY_NAME, THROUGH):

        async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
            raise MCPError(-32042, "not today", {"when": "tomorrow"})

        async with client_of(acting(act), "auto", pinned=PINNED) as client:
            with pytest.raises(MCPError) as caught:
                await called(client, way)
        error = caught.value.error
        assert (error.code, error.message, error.data) == (-32042, "not today", {"when": "tomorrow"})


@each_way
async def test_what_a_handler_says_of_the_call_reaches_the_caller(way: str) -> None:
    outcomes: list[Exception] = [
        CallerError("a; b; c"),
        UnavailableToolError("server_unavailable", "gone; since now; wait", server="far"),
        RuntimeError("secret"),
    ]

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        raise outcomes.pop(0)

    async with client_of(acting(act), "auto", pinned=PINNED) as client:
        assert text_of(await called(client, way)) == "a; b; c"
        with pytest.raises(MCPError) as gone:
            await called(client, way)
        with pytest.raises(MCPError) as fault:
            await called(client, way)
    assert (gone.value.error.code, gone.value.error.data["server"]) == (INTERNAL_ERROR, "far")
    assert "secret" not in fault.value.error.message


async def test_a_long_call_holds_up_no_other_of_the_only_client() -> None:
    import anyio

    go = anyio.Event()

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        await go.wait()
        return said("done")

    async with (
        Client(serving(acting(act), pinned=PINNED), client_info=Implementation(name="one", version="1")) as client,
        anyio.create_task_group() as calls,
    ):
        calls.start_soon(called, client, BY_NAME)
        assert (await client.call_tool("capabilities", {})).structured_content
        go.set()


def test_a_tool_is_shown_as_its_server_describes_it_but_for_its_name() -> None:
    own = types.Tool(
        name="act",
        description="Acts.",
        input_schema={"type": "object", "title": "Act", "properties": {"x": {"description": "what"}}},
        output_schema={"type": "object", "title": "Done"},
        annotations=types.ToolAnnotations(title="Act!", destructive_hint=True),
        _meta={"far/cost": 3},
    )

    async def act(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        return said("done")

    tool = RemoteTool.of("far__act", "far", own, act)
    assert tool.listed.model_dump() == own.model_dump() | {"name": "far__act"}
    assert (tool.title, tool.own_name) == ("Act!", "act")
