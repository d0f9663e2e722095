"""Bytes of an upstream become messages."""

import json

import mcp_types as types
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.upstreams.messages import TOO_LARGE, UNREADABLE, Lines, LongLine, read_message

MAX_LINE = 1000


def all_lines(content: bytes, sizes: list[int], most: int = 8) -> list[bytes | LongLine]:
    lines, found = Lines(most), list[bytes | LongLine]()
    while content:
        size = sizes.pop(0) if sizes else len(content)
        found += lines.feed(content[:size])
        content = content[size:]
    return found


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(1, 9)))
def test_lines_are_the_same_however_they_arrive(parts: list[bytes], sizes: list[int]) -> None:
    wanted = [line for part in parts for line in part.split(b"\n")]
    found = all_lines(b"".join(line + b"\n" for line in wanted), sizes)
    assert [line.size if isinstance(line, LongLine) else line for line in found] == [
        len(line) if len(line) > 8 else line for line in wanted
    ]


@given(st.integers(1, 3000), st.lists(st.integers(1, 700)))
def test_the_ends_of_a_long_line_are_kept(more: int, sizes: list[int]) -> None:
    content = b"start" + b"-" * (400 + more) + b"end"
    (line,) = all_lines(content + b"\n", sizes)
    assert isinstance(line, LongLine)
    assert line.start.startswith(b"start")
    assert line.end.endswith(b"end")
    assert line.size == len(content)
    assert max(len(line.start), len(line.end)) <= 400


def answered(line: bytes | LongLine) -> types.JSONRPCError:
    message = read_message(line, MAX_LINE)
    assert message
    assert isinstance(message.message, types.JSONRPCError)
    return message.message


def test_an_answer_that_is_too_large_still_answers_its_request() -> None:
    cases: list[tuple[bytes, bytes, types.RequestId]] = [
        (b'{"jsonrpc":"2.0","id":7,"result":{"content":[', b'"id": 9}]}}', 7),
        (b'{"id": "a-1", "jsonrpc": "2.0", "result"', b"]}}", "a-1"),
        (b'{"result":{"content":[{"id":3,', b'"}]},"jsonrpc":"2.0","id":7}', 7),
        (b'{"result":{"content":[', b']},"id":7,"jsonrpc":"2.0"}', 7),
    ]
    for start, end, request_id in cases:
        error = answered(LongLine(start, end, 5000))
        assert (error.id, error.error.code) == (request_id, TOO_LARGE), start
        assert "5,000 bytes" in error.error.message, start


def test_a_number_inside_a_large_answer_is_not_taken_for_its_request() -> None:
    assert read_message(LongLine(b'{"result":{"content":[', b'"id":7}}', 5000), MAX_LINE) is None


def test_an_answer_that_is_no_message_still_answers_its_request() -> None:
    cases: list[dict[str, object]] = [
        {"id": 7, "result": "text"},
        {"id": 7},
        {"jsonrpc": "1.0", "id": 7, "result": {}},
        {"id": 7, "error": 1},
    ]
    for answer in cases:
        error = answered(json.dumps(answer).encode())
        assert (error.id, error.error.code, error.error.message) == (7, UNREADABLE, json.dumps(answer)), answer


def test_other_lines_are_no_messages() -> None:
    for line in [b"", b"Listening", b"[1]", b"{", b'{"level": "info"}', b"7", b"[" * 100_000]:
        assert read_message(line, MAX_LINE) is None, line


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    message = read_message(b'{"jsonrpc":"2.0","id":7,"result":{"text":"\xff"}}', MAX_LINE)
    assert message
    assert isinstance(message.message, types.JSONRPCResponse)
    assert message.message.result == {"text": "�"}
