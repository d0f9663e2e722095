"""Measures start-up, latency and memory over stdio, compared with a bare SDK server: `python -m benchmarks.stdio`.

The servers take turns. For each, it measures the time from process start to the answer to `tools/list` and to the
answer to the first `tools/call`, the median time of further calls, and resident memory after them.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

ROOT: Final = Path(__file__).resolve().parent.parent
COMMANDS: Final = {
    "bare SDK server": [sys.executable, "-m", "benchmarks.bare_server"],
    "agent-capabilities": [sys.executable, "-m", "agent_capabilities", "serve"],
}
PHRASES: Final = (
    "can it undo what it did?",
    "plug in outside tools",
    "does it remember me tomorrow",
    "keep it away from my secrets",
    "what did this cost me",
    "let it think longer",
    "read the screenshot",
    "run it from cron",
)


@dataclass(frozen=True)
class Figures:
    """Figures of one start of one server, in seconds and bytes."""

    to_list: float
    to_first_answer: float
    call: float
    memory: int


class Connection:
    """A server process, called over the legacy protocol.

    Attributes:
        started: when, by `time.perf_counter`.
        instructions: what the server says of itself to models.
    """

    def __init__(self, command: list[str], env: Mapping[str, str] | None = None) -> None:
        """Start the process, in this one's environment unless another is given; `started` is the time just before."""
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ids = itertools.count(1)
        self.instructions = ""

    def __enter__(self) -> Self:
        """Initialize the session."""
        client = {"name": "benchmark", "version": "1"}
        said = self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self.instructions = said.get("instructions") or ""
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the server's input and wait until it ends."""
        self._process.communicate(timeout=20)

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one request and return its result."""
        number = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self._process.stdout
        while True:
            message = json.loads(self._process.stdout.readline())
            if message.get("id") == number:
                result: dict[str, Any] = message["result"]
                return result

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def memory(self) -> int:
        """Return the resident memory in bytes."""
        # Imported here, because what only asks a server does without this optional package.
        import psutil

        resident: int = psutil.Process(self._process.pid).memory_info().rss
        return resident

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def measure(command: list[str], calls: int) -> Figures:
    """Start a server, list its tools, call one, and call it again with phrases that it has not seen."""
    with Connection(command) as connection:
        tool = connection.request("tools/list")["tools"][0]["name"]
        to_list = time.perf_counter() - connection.started
        call(connection, tool, PHRASES[0])
        to_first = time.perf_counter() - connection.started
        times = []
        for number in range(calls):
            phrase = f"{PHRASES[number % len(PHRASES)]} {number}"
            start = time.perf_counter()
            call(connection, tool, phrase)
            times.append(time.perf_counter() - start)
        return Figures(to_list, to_first, statistics.median(times), connection.memory())


def call(connection: Connection, tool: str, phrase: str) -> None:
    """Call a tool once; the caller gives a new phrase each time, so that no answer comes from a cache."""
    arguments = {"text": phrase} if tool == "echo" else {"agent": "claude-code", "capability": phrase}
    connection.request("tools/call", name=tool, arguments=arguments)


def main() -> None:
    """Measure in turns and print the medians."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--starts", type=int, default=7, help="starts of each server (default: 7)")
    options.add_argument("--calls", type=int, default=300, help="calls after each start (default: 300)")
    chosen = options.parse_args()
    found: dict[str, list[Figures]] = {name: [] for name in COMMANDS}
    for _ in range(chosen.starts):
        for name, command in COMMANDS.items():
            found[name].append(measure(command, chosen.calls))
    print(f"{'':20} {'to tools/list':>14} {'to first answer':>16} {'call':>9} {'memory':>9}")
    for name, runs in found.items():
        to_list, first, each = (
            statistics.median(getattr(run, field) for run in runs) * 1e3
            for field in ("to_list", "to_first_answer", "call")
        )
        memory = statistics.median(run.memory for run in runs) / 1e6
        print(f"{name:20} {to_list:11.0f} ms {first:13.0f} ms {each:6.2f} ms {memory:6.0f} MB")


if __name__ == "__main__":
    main()
