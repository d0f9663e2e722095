"""A real server with the shipped model, over its socket: arguments, and bytes that may be no HTTP."""

import re
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.faults.clean import SHED, assert_clean
from tests.server.faults.messages import ERAS, MEANT, headers_of, message, new_client, raw_head
from tests.server.faults.served import Served, running
from tests.server.fuzz.bodies import Body, bodies, changed_bytes
from tests.server.fuzz.calls import calls
from tests.server.fuzz.lane import CASES, DEADLINE, fuzzed
from tests.server.fuzz.values import written

pytestmark = [pytest.mark.slow]

HANG_UP: Final = b"\r\n\r\nthis is no HTTP\r\n\r\n"
"""On this the server closes the connection, unless it takes it for part of a body."""
MOMENT: Final = 0.2
"""Seconds for an answer to begin; it never does where the bytes are the first half of something."""
STATUS: Final = re.compile(r"^HTTP/1\.1 (\d{3}) ", re.MULTILINE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server that is as it was after all the cases."""
    served = Served(tmp_path_factory.mktemp("real"), ["--profile", "full", "--dynamic-tools"])
    with running(served) as process:
        served.wait_until_ready()
        yield served
        assert [served.answers(era) for era in ERAS] == [MEANT] * len(ERAS)
        assert process.poll() is None


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with new_client() as client:
        client.timeout = httpx2.Timeout(DEADLINE)
        yield client


@pytest.fixture(scope="module")
def sent() -> Iterator[Counter[str]]:
    """Cases that were found clean; when one of a kind was sent, all must be."""
    sent: Counter[str] = Counter()
    yield sent
    assert all(cases >= CASES[kind] for kind, cases in sent.items())


@fuzzed("real arguments")
@given(era=st.sampled_from(ERAS), params=calls(), escaped=st.booleans())
def test_each_call_is_answered_or_refused(
    server: Served, client: httpx2.Client, sent: Counter[str], era: str, params: dict[str, Any], escaped: bool
) -> None:
    content = written(message(era, "tools/call", **params), escaped)
    response = client.post(server.address, content=content, headers=headers_of(era, "tools/call", params["name"]))
    assert response.status_code not in SHED
    assert_clean(response.status_code, response.text)
    sent["real arguments"] += 1


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Return a whole HTTP request, of which some bytes are others; or noise."""
    body: Body = draw(bodies())
    head = raw_head(headers_of(body.era, body.method, body.name) | {"Content-Length": str(len(body.content))})
    match draw(st.sampled_from(("head", "head", "both", "noise"))):
        case "head":
            return draw(changed_bytes(head)) + body.content
        case "both":
            return draw(changed_bytes(head + body.content))
    return draw(st.binary(max_size=500))


@fuzzed("wire")
@given(request=requests())
def test_bytes_are_answered_or_refused(server: Served, sent: Counter[str], request: bytes) -> None:
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as connection:
        connection.sendall(request + HANG_UP)
        connection.settimeout(MOMENT)
        with suppress(TimeoutError, ConnectionError):
            while part := connection.recv(65536):
                received += part
    text = received.decode("utf-8")
    assert not {int(status) for status in STATUS.findall(text)} & set(SHED)
    for answer in text.split("\r\n\r\n"):
        status = STATUS.match(answer)
        assert_clean(int(status[1]) if status else 200, answer)
    sent["wire"] += 1
