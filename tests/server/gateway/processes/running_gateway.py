"""A gateway in a process of its own, over made upstreams."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from server.gateway.tool_catalog.json_file import USER_DATA_VARIABLE
from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from tests.server.gateway.upstreams.running import RAW

FAULTS: Final = "lists=pid,count,die,hang,garbage,huge,rename,progress"
"""A flag of the made upstream: the tools with faults that it lists."""

_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def raw_entry(*flags: str, **more: Any) -> dict[str, Any]:
    """Return an entry of a configuration: the made upstream with some faults."""
    return {"command": sys.executable, "args": [RAW, *flags], **more}


def written(folder: Path, name: str = ".mcp.json", **servers: dict[str, Any]) -> Path:
    """Return a configuration of servers."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return path


def command(files: Sequence[Path], *options: str) -> list[str]:
    """Return the command of a gateway."""
    configurations = [part for file in files for part in ("--config", str(file))]
    return [sys.executable, "-m", "agent_capabilities", "gateway", *configurations, *options]


def environment() -> dict[str, str]:
    """Return the test's own folders."""
    return {name: os.environ[name] for name in (CACHE_VARIABLE, USER_DATA_VARIABLE)}


def client(*files: Path, mode: str = "auto", options: Sequence[str] = (), **more: Any) -> Client:
    """Return a client of a gateway that it starts."""
    program, *arguments = command(files, *options)
    root = str(shipped_data().parent)
    return Client(
        StdioServerParameters(command=program, args=arguments, cwd=root, env=environment()), mode=mode, **more
    )


async def called(gateway: Client, name: str, /, **arguments: Any) -> CallToolResult:
    """Return the result of an upstream's tool."""
    return await gateway.call_tool("call_tool", {"name": name, "arguments": arguments})


async def text(gateway: Client, name: str, /, **arguments: Any) -> str:
    """Return the only text of a result."""
    (block,) = (await called(gateway, name, **arguments)).content
    assert isinstance(block, TextContent)
    return block.text


class RawGateway:
    """A gateway whose process the test ends; it is spoken to by hand.

    Attributes:
        process: the gateway's.
    """

    def __init__(self, file: Path) -> None:
        self.process = subprocess.Popen(
            command([file]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=shipped_data().parent,
            env=os.environ | environment(),
            start_new_session=True,
        )
        self._count = 0
        self._ask("initialize", _HELLO)
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def call(self, name: str) -> str:
        """Return the text that an upstream's tool answers."""
        result = self._ask("tools/call", {"name": "call_tool", "arguments": {"name": name, "arguments": {}}})
        shown: str = result["content"][0]["text"]
        return shown

    def families(self) -> list[str]:
        """Return the names of all upstreams' tools."""
        result = self._ask("tools/call", {"name": "capabilities", "arguments": {}})
        return [tool["name"] for tool in result["structuredContent"]["tools"]]

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        assert self.process.stdout
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self._count:
                assert "result" in message, message
                answer: dict[str, Any] = message["result"]
                return answer
        raise AssertionError(f"the gateway ended instead of answering {method}")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self.process.stdin.flush()
