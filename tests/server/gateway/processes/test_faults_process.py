"""Servers with faults behind a gateway: the next request is answered right, and no other server is held up."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.server.calls import MODES
from tests.server.gateway.processes.running_gateway import FAULTS, called, client, raw_entry, text, written
from tests.threaded_server import serving

pytestmark = [pytest.mark.anyio, pytest.mark.processes]

LARGEST = 20 << 20


async def echoes(gateway: Client, server: str = "other") -> bool:
    """Return whether a server answers a call right, and soon."""
    with anyio.fail_after(5):
        return await text(gateway, f"{server}__echo", text="right") == "right"


async def echoes_again(gateway: Client, server: str) -> bool:
    """Return whether a server that is restarted answers a call right."""
    with anyio.fail_after(30):
        while True:
            try:
                return await echoes(gateway, server)
            except MCPError:
                await anyio.sleep(0.1)


async def search(gateway: Client, need: str) -> dict[str, Any]:
    content: dict[str, Any] | None = (await gateway.call_tool("search_tools", {"need": need})).structured_content
    assert content is not None
    return content


@pytest.mark.parametrize("mode", MODES)
async def test_a_server_that_dies_mid_call_is_restarted_and_the_call_not_repeated(mode: str, tmp_path: Path) -> None:
    file = written(tmp_path, faulty=raw_entry(FAULTS), other=raw_entry())
    async with client(file, mode=mode) as gateway:
        result = await called(gateway, "faulty__die")
        assert result.is_error
        assert await echoes(gateway)
        found = await search(gateway, "faulty__die")
        assert found["decision"] == "resolved"
        assert "status" in found["tools"][0]
        assert await echoes_again(gateway, "faulty")
        assert await text(gateway, "faulty__count") == "2"


async def test_a_call_that_is_never_answered_ends_at_its_limit_and_holds_up_nobody(tmp_path: Path) -> None:
    file = written(tmp_path, faulty=raw_entry(FAULTS, timeout=1500), other=raw_entry())
    async with client(file) as gateway, anyio.create_task_group() as tasks:
        failed: list[bool | None] = []

        async def hang() -> None:
            failed.append((await called(gateway, "faulty__hang")).is_error)

        await echoes(gateway, "faulty")
        tasks.start_soon(hang)
        assert await echoes(gateway)
        assert await echoes(gateway, "faulty")
        with anyio.fail_after(20):
            while not failed:
                await anyio.sleep(0.05)
        assert failed == [True]
        assert await echoes(gateway, "faulty")


async def test_a_server_that_never_starts_is_waited_for_by_its_callers_alone(tmp_path: Path) -> None:
    file = written(tmp_path, hanging=raw_entry("silent", startup_timeout_sec=3), other=raw_entry())
    async with client(file) as gateway, anyio.create_task_group() as tasks:
        tasks.start_soon(_refused, gateway, "hanging__echo")
        assert await echoes(gateway)
        found = await search(gateway, "book me a flight to Lisbon")
        assert "hanging is still starting" in found["hint"]
        assert found["missing"][0]["reason"].startswith("connecting since")


async def _refused(gateway: Client, name: str) -> None:
    with pytest.raises(MCPError, match="did not start within 3 seconds"):
        await called(gateway, name)


async def test_garbage_and_a_result_of_50_mb_are_errors_that_show_or_measure_it(tmp_path: Path) -> None:
    file = written(tmp_path, faulty=raw_entry(FAULTS), other=raw_entry())
    async with client(file) as gateway:
        assert '"result": "text"' in await text(gateway, "faulty__garbage")
        assert await echoes(gateway, "faulty")
        assert "has 50,000,0" in await text(gateway, "faulty__huge", size=50_000_000)
        assert await echoes(gateway, "faulty")
        assert await echoes(gateway)


async def test_a_server_that_floods_its_list_is_cut_and_the_others_are_found(tmp_path: Path) -> None:
    file = written(tmp_path, flood=raw_entry("endless"), other=raw_entry())
    async with client(file) as gateway:
        assert await echoes(gateway)
        assert (await search(gateway, "other__echo"))["tools"][0]["name"] == "other__echo"


async def test_tools_renamed_during_a_call_leave_it_alone_and_are_found_by_their_new_names(tmp_path: Path) -> None:
    file = written(tmp_path, faulty=raw_entry(FAULTS))
    async with client(file) as gateway, anyio.create_task_group() as tasks:
        done: list[str] = []

        async def slow() -> None:
            done.append(await text(gateway, "faulty__progress", steps=3, pause=0.2))

        await echoes(gateway, "faulty")
        tasks.start_soon(slow)
        assert await text(gateway, "faulty__rename", to=["mirror"]) == "renamed"
        with anyio.fail_after(20):
            while (await search(gateway, "faulty__mirror"))["decision"] != "resolved" or not done:
                await anyio.sleep(0.05)
        assert done == ["done"]
        with pytest.raises(MCPError, match=r"unknown tool 'faulty__echo'.*nearest"):
            await called(gateway, "faulty__echo")


async def test_a_server_that_wants_authorization_says_so_and_holds_up_nobody(tmp_path: Path) -> None:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)) as refusing:
        url = f"http://127.0.0.1:{refusing.server_port}/mcp"
        async with client(written(tmp_path, closed={"type": "http", "url": url}, other=raw_entry())) as gateway:
            with pytest.raises(MCPError, match="unauthorized since"):
                await called(gateway, "closed__anything")
            assert await echoes(gateway)


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""


async def test_two_servers_of_one_name_in_two_files_both_answer(tmp_path: Path) -> None:
    files = (written(tmp_path, "a/.mcp.json", raw=raw_entry(FAULTS)), written(tmp_path, "b/.mcp.json", raw=raw_entry()))
    async with client(*files) as gateway:
        manifest = (await gateway.call_tool("capabilities", {})).structured_content
        assert manifest is not None
        assert await echoes(gateway, "raw")
        echoing = {tool["name"] for tool in (await _tools(gateway)) if tool["name"].endswith("echo")}
        assert len(echoing) == 2
        for name in echoing:
            assert await text(gateway, name, text="right") == "right"


async def _tools(gateway: Client) -> list[dict[str, Any]]:
    with anyio.fail_after(20):
        while True:
            manifest = (await gateway.call_tool("capabilities", {})).structured_content
            assert manifest is not None
            if not any("connecting" in str(family) for family in manifest.get("outages", ())):
                tools: list[dict[str, Any]] = manifest["tools"]
                if sum(tool["name"].endswith("echo") for tool in tools) == 2:
                    return tools
            await anyio.sleep(0.05)
