from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client

from tests.server.calls import MODES
from tests.server.http_server import http_server
from tests.server.served import four_tools_answer

pytestmark = pytest.mark.processes


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with http_server(tmp_path) as address:
        yield address


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_over_http_finds_four_tools_that_answer(address: str, mode: str) -> None:
    async with Client(address, mode=mode) as client:
        await four_tools_answer(client)
