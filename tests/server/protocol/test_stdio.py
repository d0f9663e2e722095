import os
import sys

import pytest
from mcp import Client, StdioServerParameters

from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from tests.server.calls import MODES
from tests.server.served import four_tools_answer

pytestmark = pytest.mark.processes


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_over_stdio_finds_four_tools_that_answer(mode: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "agent_capabilities", "serve"],
        cwd=str(shipped_data().parent),
        env={CACHE_VARIABLE: os.environ[CACHE_VARIABLE]},
    )
    async with Client(parameters, mode=mode) as client:
        await four_tools_answer(client)
