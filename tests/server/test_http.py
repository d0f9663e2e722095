import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from mcp import Client

from server.paths import shipped_data
from tests.server.calls import MODES
from tests.server.served import four_tools_answer


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            pytest.fail(f"the server ended with status {process.wait(0.05)}")
    pytest.fail("the server does not listen")


@pytest.fixture
def address() -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "server", "serve", "--transport", "http", "--port", str(port)]
    with subprocess.Popen(command, cwd=shipped_data().parent) as process:
        try:
            wait_until_it_listens(process, port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_over_http_finds_four_tools_that_answer(address: str, mode: str) -> None:
    async with Client(address, mode=mode) as client:
        await four_tools_answer(client)
