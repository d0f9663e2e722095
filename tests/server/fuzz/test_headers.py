"""Headers of every kind before a right body; none of them opens what a token, a host or an origin closes."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.faults.messages import ERAS, headers_of, lookup, message
from tests.server.fuzz.lane import fuzzed
from tests.server.fuzz.sender import Sender, sender_of
from tests.server.fuzz.values import written

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TOKEN: Final = b"Bearer 0123456789abcdef-of-caller"
OWN_ORIGIN: Final = b"http://localhost:8000"
OWN_HOST: Final = b"127.0.0.1:8000"
USUAL: Final[dict[bytes, tuple[bytes, ...]]] = {
    b"authorization": (
        TOKEN,
        TOKEN,
        TOKEN + b"x",
        b"Bearer",
        b"bearer ",
        b"Basic x",
        b"Bearer \xff",
        b"Bearer " + b"x" * 9_000,
    ),
    b"host": (OWN_HOST, OWN_HOST, b"", b"localhost", b"localhost:", b"evil.example:8000", b"127.0.0.1.evil.example:1"),
    b"origin": (
        OWN_ORIGIN,
        OWN_ORIGIN,
        b"null",
        b"",
        b"http://localhost",
        b"http://localhost.evil.example:8000",
        b"\xe4",
    ),
    b"accept": (b"application/json", b"text/event-stream", b"*/*", b"application/*;q=0", b"", b",;,", b"a" * 9_000),
    b"content-type": (
        b"application/json",
        b"application/json; charset=utf-7",
        b"text/plain",
        b"",
        b"multipart/form-data",
    ),
    b"content-length": (b"0", b"1", b"-1", b"99999999999999999999", b"x", b"\xb2"),
    b"content-encoding": (b"gzip", b"identity", b"x"),
    b"transfer-encoding": (b"chunked", b"gzip"),
    b"mcp-protocol-version": (*(era.encode() for era in ERAS), b"2024-11-05", b"", b"2027-01-01", b"9" * 300, b"\xff"),
    b"mcp-session-id": (b"x", b"", b"0" * 32, b"\xff\xfe", b"../.."),
    b"mcp-method": (b"tools/call", b"tools/list", b"", b"\xff"),
    b"mcp-name": (
        b"lookup_capability",
        b"=?base64?bG9va3VwX2NhcGFiaWxpdHk=?=",
        b"=?base64?\xff?=",
        b"=?base64??=",
        b"x",
    ),
    b"mcp-param-agent": (b"claude-code", b""),
    b"last-event-id": (b"0", b"x"),
    b"x-request-id": (b"x", b"a" * 65, b"\xff", b"a b"),
    b"x-forwarded-for": (b"127.0.0.1", b"x"),
    b"x-http-method-override": (b"GET", b"DELETE"),
    b"traceparent": (b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", b"00-x", b"\xff"),
    b"baggage": (b"a=b", b"=,;="),
    b"expect": (b"100-continue",),
    b"cookie": (b"a=b; c",),
}
Lines = list[tuple[bytes, bytes]]
METHODS: Final = (*["POST"] * 20, "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "X")
"""A GET may be answered by a stream without an end."""

bytes_of_a_header = st.binary(max_size=40).map(
    lambda noise: bytes(byte for byte in noise if byte >= 32 and byte != 127)
)


@st.composite
def headers(draw: st.DrawFn, era: str) -> Lines:
    """Return the right headers of an era, of which some are left out, doubled or others."""
    right = headers_of(era, "tools/call", "lookup_capability")
    found = {name.lower().encode(): value.encode() for name, value in right.items()}
    lines = [*found.items(), (b"authorization", TOKEN), (b"host", OWN_HOST)]
    names = [*USUAL, *(name for name, _ in lines)]
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
        if draw(st.booleans()):
            lines = [line for line in lines if line[0] != name]
        if draw(st.integers(0, 4)):
            value = draw(st.one_of(st.sampled_from(USUAL[name]), bytes_of_a_header))
            lines.insert(draw(st.integers(0, len(lines))), (name, value))
    return lines


@pytest.fixture(scope="module")
async def sender(small: list[str], tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sender]:
    tokens: Path = tmp_path_factory.mktemp("tokens") / "tokens.json"
    tokens.write_text(json.dumps({"caller": TOKEN.removeprefix(b"Bearer ").decode()}), encoding="utf-8")
    async with sender_of("headers", *small, "--tokens", str(tokens)) as sender:
        yield sender


@fuzzed("headers")
@given(
    method=st.sampled_from(METHODS),
    case=st.sampled_from(ERAS).flatmap(lambda era: st.tuples(st.just(era), headers(era))),
)
async def test_only_callers_who_may_are_answered(sender: Sender, method: str, case: tuple[str, Lines]) -> None:
    era, lines = case
    response = await sender.send(written(message(era, "tools/call", **lookup("undo it")), True), lines, method)
    if '"result"' in response.text:
        sent = response.request.headers.raw
        first = {name.lower(): value for name, value in reversed(sent)}
        assert first[b"authorization"] == TOKEN
        assert first[b"host"] == b"localhost" or first[b"host"].startswith((b"127.0.0.1:", b"localhost:"))
        assert first.get(b"origin", b"") in (b"", OWN_ORIGIN, b"http://localhost")
