"""Bodies of another length than their heads say, or of none; `http.test_limits_over_http` has bodies over the limit."""

import socket
import threading

import pytest

from tests.server.faults.messages import ERAS, TOOL, headers_of, lookup, raw_call, raw_head
from tests.server.faults.raw import Answer, answer_on, answer_to, connected, everything_for
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

MAX_BODY = 20_000
OPTIONS = ["--max-body", str(MAX_BODY), "--request-timeout", "2"]
FAR_OVER_THE_LIMIT = 100_000_000
"""Bytes that a server reads only if it does not stop at its limit."""

each_era = pytest.mark.parametrize("era", ERAS)


def head(era: str, **more: str) -> bytes:
    return raw_head(headers_of(era, "tools/call", TOOL) | more)


def body_of(era: str) -> bytes:
    return raw_call(era, lookup()).partition(b"\r\n\r\n")[2]


def status(answer: Answer | None) -> int | None:
    return answer.status if answer else None


@each_era
def test_a_body_that_ends_too_early_has_no_answer(server: Served, era: str) -> None:
    body = body_of(era)
    sent = head(era, **{"Content-Length": str(len(body) + 1)}) + body
    assert status(answer_to(server, sent, last=True)) in (None, 400)


@each_era
def test_a_body_of_which_the_end_does_not_come_is_told_that_its_time_is_up(server: Served, era: str) -> None:
    body = body_of(era)
    sent = head(era, **{"Content-Length": str(len(body) + 1)}) + body
    assert status(answer_to(server, sent)) == 504


@each_era
def test_a_body_longer_than_it_says_is_read_to_where_it_says(server: Served, era: str) -> None:
    body = body_of(era)
    received = everything_for(server, head(era, **{"Content-Length": str(len(body) - 1)}) + body)
    assert received.startswith("HTTP/1.1 400 ")
    assert '"result"' not in received


@each_era
@pytest.mark.parametrize("digits", [8, 19, 4_000, 5_000])
def test_a_length_over_the_limit_is_refused_before_the_body_comes(server: Served, era: str, digits: int) -> None:
    assert status(answer_to(server, head(era, **{"Content-Length": "9" * digits}))) in (400, 413)


@each_era
@pytest.mark.parametrize(
    "lines",
    [
        {"Content-Length": "-1"},
        {"Content-Length": "+1"},
        {"Content-Length": "1e3"},
        {"Content-Length": "0x10"},
        {"Content-Length": "many"},
        {"Content-Length": ""},
        {"Content-Length": "1, 2"},
        {"Content-Length": "1", "content-length": "2"},
        {"Transfer-Encoding": "gzip"},
        {"Transfer-Encoding": "chunked, chunked"},
    ],
    ids=str,
)
def test_a_length_that_cannot_be_is_refused(server: Served, era: str, lines: dict[str, str]) -> None:
    assert status(answer_to(server, head(era, **lines) + body_of(era), last=True)) in (400, 501)


@each_era
@pytest.mark.parametrize("chunk", [b"-1\r\nx\r\n", b"zz\r\nx\r\n", b"5\r\nx\r\n", b"f" * 40 + b"\r\n", b"\r\n\r\n"])
def test_chunks_that_are_none_have_no_answer(server: Served, era: str, chunk: bytes) -> None:
    sent = head(era, **{"Transfer-Encoding": "chunked"}) + chunk
    assert status(answer_to(server, sent, last=True)) in (None, 400)


@each_era
def test_a_length_beside_chunks_smuggles_no_second_request(server: Served, era: str) -> None:
    hidden = raw_call(era, lookup())
    both = {"Transfer-Encoding": "chunked", "Content-Length": str(len(hidden) + 5)}
    received = everything_for(server, head(era, **both) + b"0\r\n\r\n" + hidden)
    assert received.startswith("HTTP/1.1 400 ")
    assert '"result"' not in received


@each_era
def test_chunks_without_an_end_are_refused_at_the_limit(server: Served, era: str) -> None:
    chunk = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
    sent = 0
    refused = threading.Event()
    with connected(server) as connection:

        def send() -> None:
            nonlocal sent
            connection.sendall(head(era, **{"Transfer-Encoding": "chunked"}))
            try:
                while sent < FAR_OVER_THE_LIMIT and not refused.is_set():
                    connection.sendall(chunk)
                    sent += len(chunk)
            except OSError:
                pass

        sender = threading.Thread(target=send)
        sender.start()
        try:
            assert status(answer_on(connection)) == 413
        finally:
            refused.set()
            connection.shutdown(socket.SHUT_RDWR)
            sender.join()
    assert MAX_BODY <= sent < FAR_OVER_THE_LIMIT
