"""A catalog file, served by a process of its own."""

import os
import signal
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters

from server.matching.vector_cache import CACHE_VARIABLE
from tests.server.calls import MODES
from tests.server.faults.served import Served, running, until
from tests.server.label_catalog import CATALOG, METADATA, TOOLS, written
from tests.special_files import posix

pytestmark = pytest.mark.processes


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_over_stdio_finds_two_tools_that_answer(tmp_path: Path, mode: str) -> None:
    path = written(tmp_path / "catalog.json", CATALOG)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "agent_capabilities", "serve", "--catalog", str(path)],
        env={CACHE_VARIABLE: os.environ[CACHE_VARIABLE]},
    )
    async with Client(parameters, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["match_capability", "explain_match"]
        found = await client.call_tool("match_capability", {"phrase": "rewind"})
        explained = await client.call_tool("explain_match", {"phrase": "rewind"})
    assert (found.structured_content or {})["matches"][0]["metadata"] == METADATA
    assert (explained.structured_content or {})["named"] == "Checkpoints"


@posix
def test_over_http_a_changed_file_is_served_on_a_signal(tmp_path: Path) -> None:
    path = written(tmp_path / "catalog.json", CATALOG)
    served = Served(tmp_path, ["--catalog", str(path)])
    with running(served) as process:
        served.wait_until_ready()
        assert labels_of(served) == 3
        written(path, {"labels": [{"name": "Only"}]})
        process.send_signal(signal.SIGHUP)
        until(lambda: labels_of(served) == 1, "the new catalog is served")
        written(path, {"labels": [{"name": "Only", "phrases": []}]})
        process.send_signal(signal.SIGHUP)
        until(lambda: "the nearest is 'phrasings'" in served.log, "the bad catalog is told")
        assert labels_of(served) == 1


def test_over_http_a_watched_file_is_served_by_every_worker(tmp_path: Path) -> None:
    path = written(tmp_path / "tools.json", TOOLS)
    served = Served(tmp_path, ["--catalog", str(path), "--workers", "2", "--watch", "1"])
    with running(served):
        served.wait_until_ready()
        written(path, {"tools": [{"name": "only"}]})
        until(lambda: all(labels_of(served) == 1 for _ in range(10)), "the new catalog is served")


def labels_of(served: Served) -> int:
    count: int = httpx2.get(f"{served.site}/readyz").json().get("labels", 0)
    return count
