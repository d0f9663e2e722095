"""A real server that is told to stop while a request is under way."""

import json
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.faults.served import until
from tests.server.http_server import ANY_PORT, port_in, start_server

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to stop a process with"),
]

LOOKUP: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "lookup_capability", "arguments": {"agent": "claude-code", "capability": "Checkpoints"}},
}


def test_a_request_that_is_under_way_is_answered_before_the_server_stops(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as stderr, start_server(ANY_PORT, tmp_path, log=stderr) as process:
        port = port_in(log, process)
        body = json.dumps(LOOKUP).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", port), timeout=60) as under_way:
            under_way.sendall(head.encode() + body[:20])
            _wait_until_it_is_read(port)
            process.send_signal(signal.SIGTERM)
            _wait_until_it_no_longer_listens(port)
            under_way.sendall(body[20:])
            answer = b"".join(iter(lambda: under_way.recv(65536), b""))
        process.wait(60)
    assert b"Traceback" not in log.read_bytes()
    status, _, content = answer.partition(b"\r\n\r\n")
    assert status.startswith(b"HTTP/1.1 200")
    assert json.loads(content)["result"]["structuredContent"]["capability"]["name"] == "Checkpoints"
    assert process.returncode in (0, -signal.SIGTERM)


def _wait_until_it_is_read(port: int) -> None:
    """Requests are read in the order in which they come; another that was answered came after."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as later:
        later.sendall(f"GET /healthz HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
        assert later.recv(65536).startswith(b"HTTP/1.1 200")


def _wait_until_it_no_longer_listens(port: int) -> None:
    def refuses() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return True
        return False

    until(refuses, "the server no longer listens")
