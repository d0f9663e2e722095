"""Headers that two readers would understand differently, at every address of a real server."""

from collections.abc import Iterator

import pytest

from tests.server.faults.raw import everything_for
from tests.server.faults.served import Served, running

pytestmark = pytest.mark.processes

HIDDEN = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"

REQUESTS = [
    (method, path) for method in ("GET", "POST", "DELETE") for path in ("/mcp", "/mcp/", "/healthz", "/nowhere")
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("headers"))
    with running(served):
        yield served


def received(server: Served, method: str, path: str, *lines: str) -> str:
    head = "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()
    return everything_for(server, head + b"0\r\n\r\n" + HIDDEN)


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_two_lengths_are_refused_and_nothing_after_them_is_read(server: Served, method: str, path: str) -> None:
    text = received(server, method, path, "Transfer-Encoding: chunked", f"Content-Length: {len(HIDDEN) + 5}")
    assert text.startswith("HTTP/1.1 400 ")
    assert text.count("HTTP/1.1") == 1


@pytest.mark.parametrize("name", ["Mcp-Method", "Mcp-Session-Id", "Mcp-Name", "Mcp-Param-X", "MCP-Protocol-Version"])
def test_a_routing_header_beyond_ascii_is_refused(server: Served, name: str) -> None:
    text = received(server, "POST", "/mcp", "Content-Length: 5", f"{name}: é")
    assert text.startswith("HTTP/1.1 400 ")
    assert f"the header {name.lower()} has non-ASCII characters" in text


@pytest.mark.parametrize("host", ["localhost", "evil.example"])
def test_a_path_with_a_slash_too_many_leads_nowhere(server: Served, host: str) -> None:
    text = everything_for(server, f"POST /mcp/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n".encode())
    assert text.startswith("HTTP/1.1 404 ")
    assert "location" not in text.lower()
