"""Headers that are missing, doubled, or say something else than the body."""

from typing import Final

import pytest

from tests.server.faults.messages import ERAS, lookup, raw_call
from tests.server.faults.raw import answer_to
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

HANDSHAKE, MODERN = ERAS

REFUSED: Final = (
    ("Accept", ""),
    ("Accept", "text/html"),
    ("Accept", ",;q=,"),
    ("Content-Type", ""),
    ("Content-Type", "text/plain"),
    ("Content-Type", "multipart/form-data; boundary=x"),
    ("MCP-Protocol-Version", "1999-01-01"),
    ("MCP-Protocol-Version", "2999-01-01"),
    ("MCP-Protocol-Version", "é"),
    ("Mcp-Session-Id", "é"),
    ("MCP-Protocol-Version", "9" * 10_000),
)
REFUSED_IN_THE_MODERN_ERA: Final = (
    ("Mcp-Method", ""),
    ("Mcp-Method", "tools/list"),
    ("Mcp-Method", "é"),
    ("Mcp-Name", ""),
    ("Mcp-Name", "compare_capability"),
    ("Mcp-Name", "é"),
    ("Mcp-Name", "=?base64?x?="),
    ("Mcp-Name", "=?base64?/w==?="),
    ("Mcp-Name", "=?base64?é?="),
    ("Mcp-Name", "=?base64?" + "A" * 10_000 + "?="),
)
NOT_READ: Final = (
    ("Mcp-Session-Id", "x"),
    ("Last-Event-ID", "x"),
    ("X-Request-Id", "é"),
    ("Content-Encoding", "gzip"),
    ("X-HTTP-Method-Override", "DELETE"),
    ("traceparent", "00-x"),
    ("baggage", "=,;=é"),
    ("Cookie", "=;é"),
)


def status_with(served: Served, era: str, name: str, value: str) -> int:
    """Return the status of a call of which one header is another, or which has one more."""
    answer = answer_to(served, raw_call(era, lookup(), **{name: value}))
    assert answer is not None
    assert ('"result"' in answer.text) is (answer.status == 200)
    return answer.status


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("name", "value"), REFUSED, ids=lambda part: part[:30])
def test_a_call_with_it_is_refused(server: Served, era: str, name: str, value: str) -> None:
    assert status_with(server, era, name, value) in (400, 406, 415)


@pytest.mark.parametrize(("name", "value"), REFUSED_IN_THE_MODERN_ERA, ids=lambda part: part[:30])
def test_a_header_that_the_body_does_not_bear_out_is_refused(server: Served, name: str, value: str) -> None:
    assert status_with(server, MODERN, name, value) == 400


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("name", "value"), NOT_READ, ids=lambda part: part[:30])
def test_a_header_that_says_nothing_here_changes_nothing(server: Served, era: str, name: str, value: str) -> None:
    assert status_with(server, era, name, value) == 200


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
def test_a_header_that_stands_twice_is_refused(server: Served, name: str) -> None:
    right = raw_call(MODERN, lookup())
    line = next(line for line in right.split(b"\r\n") if line.startswith(name.encode()))
    answer = answer_to(server, right.replace(line, line + b"\r\n" + line))
    assert answer is not None
    assert answer.status == 400


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "X" * 1_000])
def test_another_method_than_post_is_refused(server: Served, era: str, method: str) -> None:
    answer = answer_to(server, raw_call(era, lookup()).replace(b"POST", method.encode(), 1))
    assert answer is not None
    assert answer.status in (400, 405)
