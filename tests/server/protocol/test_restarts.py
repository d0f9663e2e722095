"""What a host can rely on when a server, or the host itself, is killed or starts over."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from server.gateway.tool_catalog.json_file import locked
from tests.server.faults.messages import HELLO
from tests.server.faults.served import SECONDS
from tests.server.gateway.processes.running_gateway import command, raw_entry, written
from tests.server.gateway.upstreams.test_processes import lives, wait_until
from tests.server.stdio_process import answer_of

pytestmark = pytest.mark.processes

HOST: Final = """
import json, subprocess, sys, time
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
for line in json.loads(sys.argv[1]):
    server.stdin.write(json.dumps(line).encode() + b"\\n")
    server.stdin.flush()
    if "id" in line:
        server.stdout.readline()
print(server.pid, flush=True)
time.sleep(120)
"""
"""A host that starts the server of its arguments, says the given lines, and prints the process of the server."""

Start = Callable[[Path], list[str]]


def serve(folder: Path) -> list[str]:
    return [sys.executable, "-m", "agent_capabilities", "serve"]


def gateway(folder: Path) -> list[str]:
    return command([written(folder, one=raw_entry(), two=raw_entry())])


both = pytest.mark.parametrize("start", [serve, gateway])


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def opening(client: str = "tester") -> list[dict[str, Any]]:
    """Return the lines with which a host begins."""
    hello = HELLO | {"clientInfo": {"name": client, "version": "1"}}
    return [
        request(1, "initialize", **hello),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/list"),
    ]


@contextmanager
def running(arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8") as process:
        try:
            yield process
        finally:
            process.kill()


def listed(process: subprocess.Popen[str], client: str = "tester") -> list[str]:
    """Begin as a host does, and return the names of the tools."""
    hello, initialized, wanted = opening(client)
    assert "serverInfo" in answer_of(process, hello)["result"]
    assert process.stdin
    process.stdin.write(json.dumps(initialized) + "\n")
    return [tool["name"] for tool in answer_of(process, wanted)["result"]["tools"]]


@both
def test_a_second_handshake_on_the_same_connection_finds_the_same_tools(start: Start, tmp_path: Path) -> None:
    with running(start(tmp_path)) as process:
        first = listed(process)
        assert listed(process, "another") == first != []


@both
def test_a_server_ends_without_a_word_when_its_input_ends(start: Start, tmp_path: Path) -> None:
    for lines in range(4):
        with running(start(tmp_path)) as process:
            assert process.stdin
            for line in opening()[:lines]:
                process.stdin.write(json.dumps(line) + "\n")
            _, errors = process.communicate(timeout=SECONDS)
            assert (process.returncode, errors) == (0, ""), lines


@both
@pytest.mark.skipif(sys.platform == "win32", reason="whether a process lives is asked with a signal")
def test_a_server_ends_when_its_host_is_killed(start: Start, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", HOST, json.dumps(opening()), *start(tmp_path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, encoding="utf-8") as host:
        assert host.stdout
        server = int(host.stdout.readline())
        assert lives(server)
        host.kill()
    wait_until(lambda: not lives(server))


@both
def test_the_server_after_a_killed_one_answers_the_same(start: Start, tmp_path: Path) -> None:
    arguments, found = start(tmp_path), []
    for pause in (0.0, 0.1, 0.5, 1.0):
        with running(arguments) as process:
            found.append(listed(process))
            time.sleep(pause)
            process.kill()
    assert found == [found[0]] * 4 != [[]] * 4


def test_a_gateway_that_was_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    file = tmp_path / "pins.json"
    code = (
        "import pathlib, sys, time; from server.gateway.tool_catalog.json_file import locked\n"
        "with locked(pathlib.Path(sys.argv[1])): print('held', flush=True); time.sleep(120)"
    )
    with running([sys.executable, "-c", code, str(file)]) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        process.kill()
        process.wait(SECONDS)
    began = time.perf_counter()
    with locked(file):
        assert time.perf_counter() - began < 1
