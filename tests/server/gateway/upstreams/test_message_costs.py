"""Limits of messages in values, entries and notices: counted right, whatever the message is."""

import json
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage

from server.gateway.upstreams import message_costs
from server.gateway.upstreams.message_costs import (
    MAX_ENTRIES,
    MAX_NOTICES,
    EventValues,
    Pace,
    count_values,
    result_error,
)
from server.gateway.upstreams.messages import TOO_LARGE, MessageInspector, read_message

pytestmark = [pytest.mark.anyio]

SCALARS = st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(st.sampled_from('a",[{\\é\n'), max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(st.sampled_from('",[\\k'), max_size=3), inner),
    max_leaves=40,
)


def counted(value: Any) -> int:
    """Commas, brackets and braces that a value is written with, outside of strings."""
    if isinstance(value, dict):
        return 1 + max(len(value) - 1, 0) + sum(map(counted, value.values()))
    if isinstance(value, list):
        return 1 + max(len(value) - 1, 0) + sum(map(counted, value))
    return 0


@given(VALUES, st.integers(0, 20), st.booleans())
def test_a_message_has_too_many_values_exactly_if_they_are_more_than_the_limit(
    value: Any, most: int, escaped: bool
) -> None:
    text = json.dumps(value, ensure_ascii=escaped).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_costs, "MAX_VALUES", most)
        assert (count_values(text) > most) == (counted(value) > most)


@given(
    st.lists(VALUES, min_size=1, max_size=3),
    st.lists(st.integers(1, 9)),
    st.sampled_from(["\n", "\r", "\r\n"]),
    st.sampled_from([None, 1]),
    st.integers(0, 20),
)
def test_an_event_has_too_many_values_whatever_parts_and_lines_it_arrives_in(
    values: list[Any], sizes: list[int], end: str, indent: int | None, most: int
) -> None:
    texts = [json.dumps(value, indent=indent).replace("\n", f"{end}data: ") for value in values]
    stream = "".join(f"event: message{end}data: {text}{end}{end}" for text in texts).encode() + b"."
    found, events = 0, EventValues()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_costs, "MAX_VALUES", most)
        for size in sizes:
            found, stream = max(found, events.feed(stream[:size])), stream[size:]
        assert (max(found, events.feed(stream)) > most) == (max(map(counted, values)) > most)


def test_an_answer_of_too_many_values_still_answers_its_request() -> None:
    line = b'{"jsonrpc":"2.0","id":7,"result":{"content":[' + b"[]," * message_costs.MAX_VALUES + b"[]]}}"
    message = read_message(line, 20 << 20)
    assert message is not None
    assert isinstance(message.message, types.JSONRPCError)
    assert (message.message.id, message.message.error.code) == (7, TOO_LARGE)


def inspector(method: str) -> MessageInspector:
    asked = MessageInspector()
    asked.sent(SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method)))
    return asked


def answer(**result: Any) -> SessionMessage:
    return SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=1, result=result))


def test_any_list_of_an_answer_has_a_largest_number_of_entries() -> None:
    for method, name in (("tools/call", "content"), ("prompts/get", "messages"), ("resources/read", "contents")):
        found = inspector(method).received(answer(**{name: [{}] * (MAX_ENTRIES + 1)})).message
        assert isinstance(found, types.JSONRPCError), method
        assert f"{MAX_ENTRIES + 1:,} entries in '{name}'" in found.error.message, method


@given(VALUES, st.integers(0, 20))
def test_a_result_has_too_many_values_exactly_if_they_are_more_than_the_limit(value: Any, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_costs, "MAX_RESULT_VALUES", most)
        assert bool(result_error({"structuredContent": {"value": value}})) == (values_in(value) + 1 > most)


def values_in(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values_in, inner))


def test_of_long_numbers_fewer_pass() -> None:
    for digits, passes in ((18, True), (4_000, False)):
        found = inspector("tools/call").received(answer(content=[], structuredContent={"v": [10**digits] * 1_000}))
        assert isinstance(found.message, types.JSONRPCResponse) == passes, digits


def test_a_list_of_2000_tools_of_two_kilobytes_passes_whole() -> None:
    properties = {f"argument_{number}": {"type": "string", "description": "x" * 50} for number in range(20)}
    tools = [
        {"name": str(number), "inputSchema": {"type": "object", "properties": properties}} for number in range(2_000)
    ]
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).encode()
    assert len(line) > 2_000 * 2_000
    message = read_message(line, 20 << 20)
    assert message is not None
    found = inspector("tools/list").received(message).message
    assert isinstance(found, types.JSONRPCResponse)
    assert found.result["tools"] == tools


def test_a_longer_list_of_tools_is_cut() -> None:
    tools = [{"name": str(number), "inputSchema": {"type": "object"}} for number in range(MAX_ENTRIES * 3)]
    found = inspector("tools/list").received(answer(tools=tools)).message
    assert isinstance(found, types.JSONRPCResponse)
    assert len(found.result["tools"]) == MAX_ENTRIES + 1


async def passed(asked: MessageInspector, *messages: Any) -> int:
    return sum([await asked.passes(SessionMessage(message)) for message in messages])


def notice(method: str) -> types.JSONRPCNotification:
    return types.JSONRPCNotification(jsonrpc="2.0", method=method)


async def test_progress_and_log_messages_beyond_the_rate_are_dropped_and_no_answer_is() -> None:
    for method in ("notifications/progress", "notifications/message"):
        asked = inspector("tools/call")
        asked._pace = Pace(lambda: 0.0)
        assert await passed(asked, *[notice(method)] * 3 * MAX_NOTICES) == MAX_NOTICES, method
        assert await asked.passes(answer(content=[])), method


async def test_answers_that_nobody_asked_for_are_dropped_beyond_the_rate() -> None:
    asked = MessageInspector()
    asked._pace = Pace(lambda: 0.0)
    assert await passed(asked, *[answer().message] * 3 * MAX_NOTICES) == MAX_NOTICES


async def test_a_change_of_a_list_waits_for_its_turn_and_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_costs, "_PAUSE", 0)
    asked, now = MessageInspector(), [0.0]

    def clock() -> float:
        now[0] += 0.001
        return now[0]

    asked._pace = Pace(clock)
    changes = [notice("notifications/tools/list_changed")] * 3 * MAX_NOTICES
    assert await passed(asked, *changes) == len(changes)
    assert now[0] >= 2
