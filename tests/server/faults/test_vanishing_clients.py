"""Clients that are gone before their answer is there."""

import json
import socket
import struct
import sys
from contextlib import ExitStack

import pytest

from tests.server.faults.messages import ERAS, call, raw_call
from tests.server.faults.places import assert_all_places_come_free, take_place
from tests.server.faults.raw import connected
from tests.server.faults.served import Served, until

pytestmark = pytest.mark.processes

PLACES = 4
CLIENTS = 50
OPTIONS = ["--max-concurrency", str(PLACES), "--profile", "full"]
RESET_ON_CLOSE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""`SO_LINGER` with no time: closing drops what was sent, as a client that crashes does."""


def slow_call(era: str, number: int) -> bytes:
    """Twenty phrases that nobody asked before, which takes a tenth of a second."""
    needs = [f"undo the change number {number} and {need}" for need in range(20)]
    return raw_call(era, call("recommend_agent", needs=needs))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("reset", [False, True], ids=["close", "reset"])
@pytest.mark.parametrize("part", [1.0, 0.9], ids=["the whole request", "a part of it"])
def test_places_of_clients_that_have_gone_are_free_again(server: Served, era: str, reset: bool, part: float) -> None:
    for number in range(CLIENTS):
        request = slow_call(era, number)
        with connected(server) as connection:
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            connection.sendall(request[: int(len(request) * part)])
    assert_all_places_come_free(server, PLACES)


def test_places_that_clients_held_when_they_went_are_free_again(server: Served) -> None:
    for _ in range(CLIENTS // PLACES):
        with ExitStack() as held:
            for _ in range(PLACES):
                take_place(held.enter_context(connected(server)))
    assert_all_places_come_free(server, PLACES)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_has_gone_is_not_logged_as_a_fault_of_the_server(server: Served, era: str) -> None:
    before = len(server.log)
    request = slow_call(era, 0)
    with connected(server) as connection:
        connection.sendall(request[: len(request) // 2])
    until(lambda: '"refused"' in server.log[before:], "the request is logged")
    (record,) = [json.loads(line) for line in server.log[before:].splitlines() if '"refused"' in line]
    assert record["status"] == 0
