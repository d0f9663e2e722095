"""Questions and progress of a call through the gateway."""

from typing import Any

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.server.calls import text_of
from tests.server.gateway.calling import FORM, FULL, WAYS, acting, called
from tests.server.gateway.made_upstreams import Context, Result, running
from tests.server.toolset.remote_tools import said

pytestmark = [pytest.mark.anyio]


async def forms(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
    assert params.message == "[far] Which city?"
    return types.ElicitResult(action="accept", content={"city": "Lisbon"})


async def asking(context: Context, params: types.CallToolRequestParams) -> Result:
    """Asks as the protocol version of the upstream's connection has it."""
    given = params.input_responses
    if given is None:
        request = types.ElicitRequest(params=FORM)
        return types.InputRequiredResult(input_requests={"city": request}, request_state="upstream-state")
    assert params.request_state == "upstream-state"
    answered = given["city"]
    assert isinstance(answered, types.ElicitResult)
    return said(f"{answered.action} {answered.content}")


async def test_a_question_of_the_server_reaches_the_user_and_its_answer_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for way in WAYS:
        start = {"pinned": frozenset({"*"})}
        made = acting(asking)
        async with (
            running(monkeypatch, made, start=start) as gateway,
            gateway.client(elicitation_callback=forms) as client,
        ):
            assert text_of(await called(client, way)) == "accept {'city': 'Lisbon'}", way


async def test_a_client_that_cannot_be_asked_declines(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, acting(asking)) as gateway, gateway.client() as client:
        assert text_of(await called(client, FULL)) == "decline None"


async def test_answers_go_to_the_call_they_were_asked_for_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = acting(asking)
    async with running(monkeypatch, made) as gateway, gateway.client(elicitation_callback=forms) as client:
        first = await client.session.call_tool(
            "call_tool", {"name": "far__act", "arguments": {}}, allow_input_required=True
        )
        assert isinstance(first, types.InputRequiredResult)
        assert first.request_state != "upstream-state"
        other = await client.session.call_tool(
            "call_tool",
            {"name": "far__act", "arguments": {"other": 1}},
            request_state=first.request_state,
            input_responses={},
        )
    assert isinstance(other, types.CallToolResult)
    assert other.is_error
    assert "belongs to another call" in text_of(other)


async def test_progress_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    async def slow(context: Context, params: types.CallToolRequestParams) -> Result:
        await context.session.report_progress(1, 2, "half")
        return said("done")

    async def note(*given: Any) -> None:
        seen.append(given)

    start = {"pinned": frozenset({"*"})}
    for way in WAYS:
        seen.clear()
        async with running(monkeypatch, acting(slow), start=start) as gateway, gateway.client() as client:
            assert text_of(await called(client, way, progress_callback=note)) == "done", way
        assert seen == [(1, 2, "half")], way
