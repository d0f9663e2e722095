"""Clients that send, or read, as slowly as they can."""

import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.server.faults.messages import ERAS, MEANT, TOOL, call, headers_of, raw_call, raw_head
from tests.server.faults.places import assert_all_places_come_free
from tests.server.faults.raw import Answer, answer_on, connected
from tests.server.faults.served import SECONDS, Served, until

pytestmark = pytest.mark.processes

PLACES = 4
REQUEST_TIME = 2
OPTIONS = ["--max-concurrency", str(PLACES), "--request-timeout", str(REQUEST_TIME)]
BETWEEN_BYTES = 0.05
SMALL_BUFFER = 4096
ANSWERS_PAST_ALL_BUFFERS = 400


@pytest.fixture
def drippers(server: Served) -> Iterator[list[socket.socket]]:
    """Connections that take all places but one, their bodies not yet begun."""
    with ExitStack() as held:
        connections = [held.enter_context(connected(server)) for _ in range(PLACES - 1)]
        for connection, era in zip(connections, (*ERAS, ERAS[0]), strict=True):
            connection.sendall(raw_head(headers_of(era, "tools/call", TOOL) | {"Content-Length": "100000"}))
        yield connections


def drip(connections: list[socket.socket], meanwhile: Callable[[], object] = lambda: None) -> list[Answer | None]:
    """Send bodies a byte at a time until every one is answered."""
    waiting, end = list(connections), time.monotonic() + SECONDS
    while waiting and time.monotonic() < end:
        for connection in waiting:
            connection.sendall(b"x")
        meanwhile()
        answered = select.select(waiting, [], [], BETWEEN_BYTES)[0]
        waiting = [connection for connection in waiting if connection not in answered]
    return [answer_on(connection) for connection in connections]


def test_a_body_of_a_byte_at_a_time_is_told_that_its_time_is_up(server: Served, drippers: list[socket.socket]) -> None:
    start = time.monotonic()
    answers = drip(drippers)
    assert time.monotonic() - start > REQUEST_TIME / 2
    assert [answer.status if answer else None for answer in answers] == [504] * len(drippers)
    assert all(answer and f"within {REQUEST_TIME} seconds" in answer.text for answer in answers)
    assert_all_places_come_free(server, PLACES)


def test_others_are_served_while_bodies_drip_in(server: Served, drippers: list[socket.socket]) -> None:
    served: list[str] = []

    def ask() -> None:
        if not select.select(drippers, [], [], 0)[0]:
            served.append(server.answers(ERAS[len(served) % 2]))

    drip(drippers, ask)
    assert len(served) > 1
    assert set(served) == {MEANT}


def test_heads_that_do_not_end_take_no_place(server: Served) -> None:
    with ExitStack() as held:
        for _ in range(50):
            held.enter_context(connected(server)).sendall(raw_head({})[:-2])
        assert_all_places_come_free(server, PLACES)


def test_a_client_that_reads_nothing_keeps_no_place(server: Served) -> None:
    """It asks for more than the buffers between it and the server hold, so that the server waits for it to read."""
    asked = raw_call(ERAS[0], call("get_sources", agent="gemini-cli")) * ANSWERS_PAST_ALL_BUFFERS
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(asked)
        answered = [-1]

        def stuck() -> bool:
            time.sleep(10 * BETWEEN_BYTES)
            answered.append(server.log.count('"get_sources"'))
            return answered[-1] == answered[-2] > 0

        until(stuck, "the server waits for the client to read")
        assert answered[-1] < ANSWERS_PAST_ALL_BUFFERS
        assert_all_places_come_free(server, PLACES)
