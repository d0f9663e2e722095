"""One caller's heaviest requests, and what they cost everyone else."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Final

import httpx2
import pytest

from tests.server.faults.bystander import Bystander
from tests.server.faults.clean import assert_clean
from tests.server.faults.heavy import Heavy, generated, known_attacks
from tests.server.faults.messages import ERAS, HELLO, TOOL, headers_of, message, new_client, post, raw_head
from tests.server.faults.raw import answer_on, connected
from tests.server.faults.served import Served, running

pytestmark = pytest.mark.processes

REQUEST_TIME: Final = 5
ALL_TOOLS: Final = ("--profile", "full", "--dynamic-tools", "--request-timeout", str(REQUEST_TIME))
GENERATED: Final = 200
SEED: Final = 20261101

HEALTH: Final = 1.0
LOOKUP: Final = 3.0
TO_STOP: Final = 5.0
LATE: Final = 1.0
"""Seconds that a bystander waits at most, that a server takes to stop, and that an answer may come after its time."""

ATTACKS: Final = {heavy.name: heavy for heavy in known_attacks()}

each_era = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(scope="module", params=["without sessions", "with sessions"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    more = ("--sessions",) if request.param == "with sessions" else ()
    served = Served(tmp_path_factory.mktemp("heavy"), (*ALL_TOOLS, *more))
    with running(served):
        served.wait_until_ready()
        yield served


def session_of(served: Served) -> dict[str, str]:
    """Return the header of a new session, where the server keeps any."""
    if "--sessions" not in served.options:
        return {}
    with new_client() as client:
        response = post(client, served.address, ERAS[0], message(ERAS[0], "initialize", **HELLO), "initialize")
    return {"Mcp-Session-Id": response.headers["mcp-session-id"]}


def send(served: Served, era: str, heavy: Heavy) -> tuple[httpx2.Response, float]:
    """Return the response to a heavy request, and the seconds it took."""
    body = json.dumps(message(era, heavy.method, **heavy.params), ensure_ascii=False).encode()
    name = heavy.params.get("name")
    headers = headers_of(era, heavy.method, name if heavy.method == "tools/call" else heavy.params.get("uri", "")[:9])
    with new_client() as client:
        session = session_of(served) if era == ERAS[0] else {}
        start = time.monotonic()
        response = client.post(served.address, content=body, headers=headers | session)
    return response, time.monotonic() - start


def assert_nobody_waits(served: Served, era: str, heavy: Heavy) -> None:
    with Bystander(served) as bystander:
        response, seconds = send(served, era, heavy)
    assert_clean(response.status_code, response.text)
    assert seconds < REQUEST_TIME + LATE
    assert bystander.health < HEALTH
    assert bystander.lookup < LOOKUP


@each_era
@pytest.mark.parametrize(
    "name", ["category of marks", "misspelt agents", "needs: marks out of order", "long capability"]
)
def test_one_heavy_request_makes_nobody_wait(server: Served, era: str, name: str) -> None:
    assert_nobody_waits(server, era, ATTACKS[name])


@pytest.mark.slow
@each_era
@pytest.mark.parametrize("name", ATTACKS)
def test_no_request_that_once_froze_the_server_makes_anyone_wait(server: Served, era: str, name: str) -> None:
    assert_nobody_waits(server, era, ATTACKS[name])


@pytest.mark.slow
@each_era
def test_no_heavy_request_makes_anyone_wait(server: Served, era: str) -> None:
    sent = 0
    for heavy in generated(GENERATED, SEED):
        assert_nobody_waits(server, era, heavy)
        sent += 1
    assert sent == GENERATED


def test_a_body_of_one_byte_chunks_makes_nobody_wait(server: Served) -> None:
    chunks = b"1\r\nx\r\n" * 500_000
    with connected(server) as connection, Bystander(server) as bystander:
        connection.sendall(raw_head(headers_of(ERAS[1], "tools/call", TOOL) | {"Transfer-Encoding": "chunked"}))

        def flood() -> None:
            with contextlib.suppress(OSError):
                connection.sendall(chunks)

        sender = threading.Thread(target=flood)
        sender.start()
        answer = answer_on(connection)
        connection.shutdown(socket.SHUT_RDWR)
        sender.join()
    assert answer is None or answer.status in (413, 504)
    assert bystander.health < HEALTH
    assert bystander.lookup < LOOKUP


@each_era
@pytest.mark.parametrize("more", [(), ("--sessions",)], ids=["without sessions", "with sessions"])
def test_a_server_at_a_heavy_request_stops_when_it_is_told_to(
    tmp_path_factory: pytest.TempPathFactory, era: str, more: tuple[str, ...]
) -> None:
    served = Served(tmp_path_factory.mktemp("stopped"), (*ALL_TOOLS, *more))
    with running(served) as process:
        served.wait_until_ready()
        asking = threading.Thread(target=_send_whatever_comes, args=(served, era))
        asking.start()
        time.sleep(0.2)
        start = time.monotonic()
        process.terminate()
        process.wait(60)
        stopped = time.monotonic() - start
        asking.join()
    assert stopped < TO_STOP


def _send_whatever_comes(served: Served, era: str) -> None:
    with contextlib.suppress(httpx2.TransportError):
        send(served, era, ATTACKS["needs: characters of eighteen"])
