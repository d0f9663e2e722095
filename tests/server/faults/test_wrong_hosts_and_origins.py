"""Requests that name another server than this one, or come from a web page that may not call."""

from typing import Final

import pytest

from tests.server.faults.messages import ERAS, lookup, raw_call
from tests.server.faults.raw import answer_to
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

OPTIONS = ["--allowed-host", "agents.example:*", "--allowed-origin", "https://agents.example"]

HOSTS: Final = (
    "",
    "evil.example",
    "evil.example:8000",
    "evil.example/127.0.0.1:8000",
    "evil.example\thost: 127.0.0.1:8000",
    "evil-agents.example:8000",
    "agents.example.evil.example:8000",
    "127.0.0.1.evil.example:8000",
    "localhost.evil.example:80",
    "127.0.0.2:8000",
    "0.0.0.0:8000",
    "[::]:8000",
    "2130706433:8000",
    "localhost:evil.example",
    "localhost:80@evil.example",
    "localhost:",
    "x" * 10_000,
)
ORIGINS: Final = (
    "*",
    "null",
    "file://",
    "https://evil.example",
    "https://evil.example/https://agents.example",
    "http://agents.example",
    "https://agents.example.evil.example",
    "https://agents.example:444",
    "https://agents.example, https://evil.example",
    "https://ägents.example",
    "http://127.0.0.1.evil.example",
    "http://localhost:80.evil.example",
    "http://localhost:80@evil.example",
    "x" * 10_000,
)
OWN_HOST: Final = b"Host: 127.0.0.1:1\r\n"

each_era = pytest.mark.parametrize("era", ERAS)


def status_of(served: Served, request: bytes) -> int:
    answer = answer_to(served, request)
    assert answer is not None
    assert '"result"' not in answer.text
    return answer.status


@each_era
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host[:40])
def test_another_host_is_refused(server: Served, era: str, host: str) -> None:
    request = raw_call(era, lookup()).replace(OWN_HOST, f"Host: {host}\r\n".encode())
    assert status_of(server, request) == 421


@each_era
@pytest.mark.parametrize(
    "lines", [b"", OWN_HOST * 2, OWN_HOST + b"Host: evil.example\r\n"], ids=["none", "twice", "two"]
)
def test_a_request_without_one_host_is_refused(server: Served, era: str, lines: bytes) -> None:
    assert status_of(server, raw_call(era, lookup()).replace(OWN_HOST, lines)) == 400


@each_era
def test_a_host_in_the_first_line_does_not_stand_for_the_header(server: Served, era: str) -> None:
    request = raw_call(era, lookup()).replace(OWN_HOST, b"Host: evil.example\r\n")
    assert status_of(server, request.replace(b"POST /mcp", b"POST http://127.0.0.1:1/mcp")) in (404, 421)


@each_era
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize("origin", ORIGINS, ids=lambda origin: origin[:40])
def test_another_origin_is_refused(server: Served, era: str, method: str, origin: str) -> None:
    request = raw_call(era, lookup(), Origin=origin).replace(b"POST", method.encode(), 1)
    assert status_of(server, request) == 403
