"""Questions of upstreams (elicitation) that reach the user, or are declined."""

import logging
from collections.abc import Mapping
from typing import Any, cast

import mcp_types as types
import pytest
from mcp import Client
from mcp.client._memory import InMemoryTransport

from server.gateway.forwarding import questions
from server.gateway.forwarding.caller import Caller
from server.gateway.forwarding.held_calls import HeldCalls
from server.gateway.upstreams.forwarding import Forwarding
from server.toolset.toolset import identity
from tests.server.gateway.forwarding.fakes import (
    FORM,
    MODES,
    FakeSource,
    FakeUpstream,
    ask,
    connected,
    gateway,
    text,
    text_of,
)

pytestmark = pytest.mark.anyio

URL = types.ElicitRequestURLParams(message="Sign in", url="https://example.com/in")


def asking(params: types.ElicitRequestParams = FORM) -> FakeUpstream:
    async def script(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        answer = await ask(forward, params)
        return text(f"{answer.action} {answer.content}")

    return FakeUpstream(script=script)


class User:
    """Answers questions, and notes them."""

    def __init__(self, answer: types.ElicitResult | types.ErrorData) -> None:
        self.answer = answer
        self.questions: list[types.ElicitRequestParams] = []

    async def __call__(
        self, context: object, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        self.questions.append(params)
        return self.answer


LISBON = types.ElicitResult(action="accept", content={"city": "Lisbon"})


async def test_the_users_answer_reaches_the_upstream() -> None:
    for mode in MODES:
        async with connected(asking(), mode=mode, elicitation_callback=User(LISBON)) as client:
            assert text_of(await client.call_tool("book", {})) == "accept {'city': 'Lisbon'}", mode
    for mode in MODES:
        user = User(types.ElicitResult(action="decline"))
        async with connected(asking(), mode=mode, elicitation_callback=user) as client:
            assert text_of(await client.call_tool("book", {})) == "decline None", mode


async def test_the_question_keeps_its_form_names_its_server_and_hides_nothing() -> None:
    user = User(LISBON)
    async with connected(asking(), elicitation_callback=user) as client:
        await client.call_tool("book", {})
    (shown,) = user.questions
    assert isinstance(shown, types.ElicitRequestFormParams)
    assert (shown.message, shown.requested_schema) == ("[travel] Which city?", FORM.requested_schema)
    hiding = types.ElicitRequestFormParams(message="Pay\u202e\u200b?", requested_schema=FORM.requested_schema)
    user = User(LISBON)
    async with connected(asking(hiding), elicitation_callback=user) as client:
        await client.call_tool("book", {})
    assert [shown.message for shown in user.questions] == ["[travel] Pay?"]


async def test_an_address_to_open_reaches_the_user() -> None:
    for mode in MODES:
        user = User(types.ElicitResult(action="accept"))
        async with connected(asking(URL), mode=mode, elicitation_callback=user) as client:
            assert text_of(await client.call_tool("book", {})) == "accept None", mode
        assert [(shown.mode, getattr(shown, "url", None)) for shown in user.questions] == [("url", URL.url)], mode


async def test_a_caller_that_cannot_be_asked_is_not(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with connected(asking()) as client:
            assert text_of(await client.call_tool("book", {})) == "decline None"
    assert "a question of server 'travel' was declined" in caplog.text
    request: Any = type("Request", (), {"session": _Session(types.ElicitationCapability())})()
    caller = Caller(request, FakeUpstream().config)
    assert await caller.asked(FORM) == types.ElicitResult(action="decline")
    assert "its connection carries no requests to the caller" in caplog.text


async def test_a_question_that_is_too_large_is_declined() -> None:
    large = types.ElicitRequestFormParams(message="?", requested_schema={"type": "object", "x": "y" * 200_000})
    user = User(LISBON)
    async with connected(asking(large), elicitation_callback=user) as client:
        assert text_of(await client.call_tool("book", {})) == "decline None"
    assert user.questions == []


async def test_a_caller_is_not_asked_while_no_calls_can_be_held() -> None:
    for mode in MODES:
        user = User(LISBON)
        server = gateway(FakeSource([asking()]), HeldCalls(identity))
        async with Client(InMemoryTransport(server), mode=mode, elicitation_callback=user) as client:
            answer = text_of(await client.call_tool("book", {}))
        assert answer.split()[0] == ("accept" if mode == "legacy" else "decline"), mode


class _Session:
    """A connection that carries no requests to the caller, as legacy HTTP without sessions."""

    can_send_request = False
    protocol_version = "2025-11-25"

    def __init__(self, declared: types.ElicitationCapability | None) -> None:
        self.client_capabilities = types.ClientCapabilities(elicitation=declared)


async def test_an_error_of_a_legacy_caller_reaches_the_upstream() -> None:
    got: list[object] = []

    async def script(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        assert forward.elicit is not None
        got.append(await forward.elicit(cast(Any, None), FORM))
        return text("done")

    user = User(types.ErrorData(code=-32000, message="the form is broken"))
    async with connected(FakeUpstream(script=script), mode="legacy", elicitation_callback=user) as client:
        await client.call_tool("book", {})
    assert got == [types.ErrorData(code=-32000, message="the form is broken")]


async def test_only_kinds_of_questions_that_were_declared_are_asked() -> None:
    cases: list[tuple[types.ElicitationCapability | None, bool, bool]] = [
        (None, False, False),
        (types.ElicitationCapability(), True, False),
        (types.ElicitationCapability(form=types.FormElicitationCapability()), True, False),
        (types.ElicitationCapability(url=types.UrlElicitationCapability()), False, True),
    ]
    for declared, form, url in cases:
        context: Any = type("Request", (), {"session": _Session(declared)})()
        assert (questions.can_answer(context, FORM), questions.can_answer(context, URL)) == (form, url), declared
