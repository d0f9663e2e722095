"""A process over stdio dies without a word, and its host starts another in the same folders."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.gateway.processes.running_gateway import RawGateway, raw_entry, written
from tests.server.stdio_process import answer_of, stdio_server

pytestmark = [pytest.mark.processes, pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")]

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
INITIALIZE: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
INITIALIZED = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
CALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "lookup_capability", "arguments": {"agent": "claude-code", "capability": "hooks"}},
}


def found(**environment: str) -> str:
    """Return what a new server finds, which is then killed."""
    with stdio_server(**environment) as server:
        assert answer_of(server, INITIALIZE)["result"]["serverInfo"]["name"] == "agent-capabilities"
        assert server.stdin
        server.stdin.write(INITIALIZED + "\n")
        capability: str = answer_of(server, CALL)["result"]["structuredContent"]["capability"]["name"]
        server.kill()
    assert server.returncode == -signal.SIGKILL
    return capability


def test_the_next_server_answers_after_one_was_killed() -> None:
    assert [found(), found()] == ["Lifecycle Hooks", "Lifecycle Hooks"]


def test_the_next_gateway_answers_after_one_was_killed_and_has_every_tool(tmp_path: Path) -> None:
    file = written(tmp_path, raw=raw_entry("lists=pid,count"))
    with RawGateway(file) as first:
        process, tools = first.call("raw__pid"), first.families()
    with RawGateway(file) as second:
        assert second.call("raw__pid") != process
        assert second.families() == tools
