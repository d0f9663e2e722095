"""Places of the gate, which a test takes and gives back."""

import json
import socket
from contextlib import ExitStack
from typing import Final

from tests.server.faults.messages import ERAS, call, headers_of, message, raw_head
from tests.server.faults.raw import answer_on, connected
from tests.server.faults.served import Served, until

_ERA: Final = ERAS[0]
_BODY: Final = json.dumps(message(_ERA, "tools/call", **call("list_capabilities", agent="claude-code"))).encode()
_HEAD: Final = raw_head(headers_of(_ERA, "tools/call") | {"Content-Length": str(len(_BODY)), "Expect": "100-continue"})


def take_place(connection: socket.socket) -> bool:
    """Send a request without its body. Returns whether the server wants the body; else it has sent the caller away."""
    connection.sendall(_HEAD)
    return connection.recv(12) == b"HTTP/1.1 100"


def assert_all_places_come_free(served: Served, places: int) -> None:
    """Fail unless as many requests are let in at once as there are places, one more is not, and all are answered."""
    until(lambda: _all_free(served, places), f"all {places} places are free")


def _all_free(served: Served, places: int) -> bool:
    with ExitStack() as held:
        connections = [held.enter_context(connected(served)) for _ in range(places)]
        if not all(take_place(connection) for connection in connections):
            return False
        with connected(served) as one_more:
            assert not take_place(one_more)
        for connection in connections:
            connection.recv(4096)
            connection.sendall(_BODY)
        answers = [answer_on(connection) for connection in connections]
    assert [answer.status if answer else None for answer in answers] == [200] * places
    return True
