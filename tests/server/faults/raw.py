"""Connections on which a test writes the bytes itself."""

import contextlib
import http.client
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from tests.server.faults.clean import assert_clean
from tests.server.faults.served import SECONDS, Served


@dataclass(frozen=True)
class Answer:
    """A response that was checked to be clean."""

    status: int
    text: str
    header: dict[str, str]


@contextlib.contextmanager
def connected(served: Served) -> Iterator[socket.socket]:
    """Yield a connection to a server."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=SECONDS) as connection:
        yield connection


def answer_on(connection: socket.socket) -> Answer | None:
    """Return the next response on a connection; None where it was closed without one."""
    response = http.client.HTTPResponse(connection, method="POST")
    try:
        response.begin()
        text = response.read().decode("utf-8")
    except ConnectionError:
        return None
    finally:
        response.close()
    assert_clean(response.status, text)
    return Answer(response.status, text, {name.lower(): value for name, value in response.getheaders()})


def answer_to(served: Served, sent: bytes, *, last: bool = False) -> Answer | None:
    """Send some bytes and return the answer; with `last`, the client says that it sends no more."""
    with connected(served) as connection:
        try:
            connection.sendall(sent)
            if last:
                connection.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # Refused before all was read; the answer may be there all the same.
        return answer_on(connection)


def everything_for(served: Served, sent: bytes) -> str:
    """Return all that comes back for some bytes, heads included, and for a line at which the server then hangs up."""
    received = b""
    with connected(served) as connection:
        connection.sendall(sent + b"this is no HTTP\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(65536):
                received += part
    return received.decode("utf-8")
