"""A gateway over HTTP: each caller has their own part of it."""

import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from server.paths import shipped_data
from tests.server.calls import MODES
from tests.server.gateway.processes.running_gateway import FAULTS, command, environment, raw_entry, text, written
from tests.server.http_server import port_in

pytestmark = [pytest.mark.anyio, pytest.mark.processes]

CALLERS = ("ann", "bob", "nobody")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENT_CAPABILITIES_CACHE", folder)
        patch.setenv("AGENT_CAPABILITIES_USER_DATA", f"{folder}/user")
        with _served(Path(folder)) as found:
            yield found


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    file = written(folder, one=raw_entry(FAULTS), shared=raw_entry(FAULTS))
    tokens, rules = folder / "tokens.json", folder / "rules.json"
    tokens.write_text(json.dumps({name: f"token-of-{name}-0123456789" for name in CALLERS}))
    rules.write_text(json.dumps({"ann": ["*"], "bob": ["one__*", "shared"]}))
    options = ["--transport", "http", "--port", "0", "--tokens", str(tokens), "--allowlist", str(rules)]
    program = command([file], *options, "--share", "shared")
    log = folder / "log"
    environ = os.environ | environment()
    with (
        log.open("wb") as err,
        subprocess.Popen(program, cwd=shipped_data().parent, env=environ, stderr=err) as process,
    ):
        try:
            yield port_in(log, process)
        finally:
            process.terminate()


@asynccontextmanager
async def caller(port: int, name: str, mode: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer token-of-{name}-0123456789"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", MODES)
async def test_each_caller_has_own_sessions_except_with_shared_servers(mode: str, port: int) -> None:
    async with caller(port, "ann", mode) as ann, caller(port, "bob", mode) as bob:
        assert await text(ann, "one__pid") == await text(ann, "one__pid")
        assert await text(ann, "one__pid") != await text(bob, "one__pid")
        assert await text(ann, "shared__pid") == await text(bob, "shared__pid")


@pytest.mark.parametrize("mode", MODES)
async def test_a_caller_without_a_rule_sees_and_calls_nothing(mode: str, port: int) -> None:
    async with caller(port, "nobody", mode) as gateway:
        found = (await gateway.call_tool("search_tools", {"need": "one__echo"})).structured_content
        manifest = (await gateway.call_tool("capabilities", {})).structured_content
        assert found is not None
        assert found["decision"] == "no_match"
        assert "one__" not in json.dumps([found, manifest])
        with pytest.raises(MCPError, match="may not use"):
            await text(gateway, "one__echo")


@pytest.mark.parametrize("mode", MODES)
async def test_progress_reaches_a_caller_over_http(mode: str, port: int) -> None:
    steps: list[float] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    arguments = {"name": "one__progress", "arguments": {"steps": 2, "pause": 0.05}}
    async with caller(port, "ann", mode) as gateway:
        await gateway.call_tool("call_tool", arguments, progress_callback=progressed)
        with anyio.fail_after(5):
            while len(steps) < 2:
                await anyio.sleep(0.01)
    assert steps == [1, 2]


async def test_health_and_readiness_need_no_token(port: int) -> None:
    def get(path: str) -> dict[str, object]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            content: dict[str, object] = json.loads(answer.read())
            return content

    async with caller(port, "ann", "auto") as gateway:
        await text(gateway, "one__echo", text="x")
        await text(gateway, "shared__echo", text="x")
    assert get("/healthz") == {"status": "ok"}
    with anyio.fail_after(30):
        while True:
            try:
                ready = await anyio.to_thread.run_sync(get, "/readyz")
                break
            except urllib.error.HTTPError as error:
                error.close()
                await anyio.sleep(0.1)
    assert (ready["status"], ready["servers"], ready["ready"]) == ("ok", 2, 2)
