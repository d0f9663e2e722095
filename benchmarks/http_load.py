"""Many clients of one server over HTTP: `python -m benchmarks.http_load [--clients 64] [--calls 10000]`.

Every answer is compared with the one that a single client got before. Prints throughput, latency and resident memory,
after the first 1,000 calls and at the end, and what happens when more ask than the server takes on.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
import psutil

ROOT: Final = Path(__file__).resolve().parent.parent
HEADERS: Final = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
WARM: Final = 1000
"""Calls before memory is taken for the first time."""


def phrases() -> list[str]:
    """Vague phrases; more than the encoder's cache holds, so that most are embedded."""
    lines = (ROOT / "benchmarks" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines]


@contextmanager
def served(port: int) -> Iterator[psutil.Process]:
    """A server in a process of its own, ready to answer."""
    command = [sys.executable, "-m", "server", "serve", "--transport", "http", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            for _ in range(600):
                time.sleep(0.1)
                try:
                    if httpx2.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                        break
                except httpx2.TransportError:
                    continue
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


async def ask(client: httpx2.AsyncClient, phrase: str) -> tuple[int, Any]:
    """One lookup: the HTTP status, and the answer's text."""
    params = {"name": "lookup_capability", "arguments": {"agent": "claude-code", "capability": phrase}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    response = await client.post("/mcp", json=request)
    if response.status_code != 200:
        return response.status_code, None
    return 200, response.json()["result"]["content"]


async def load(address: str, process: psutil.Process, clients: int, calls: int) -> None:
    """Ask, compare and print."""
    asked = phrases()
    async with httpx2.AsyncClient(base_url=address, headers=HEADERS, timeout=120) as one:
        right = {phrase: (await ask(one, phrase))[1] for phrase in asked}
    taken: list[float] = []
    outcomes: Counter[str] = Counter()
    memory: list[float] = []
    numbers = iter(range(calls))

    async def caller() -> None:
        async with httpx2.AsyncClient(base_url=address, headers=HEADERS, timeout=120) as client:
            for number in numbers:
                phrase = asked[number % len(asked)]
                start = time.perf_counter()
                status, answer = await ask(client, phrase)
                taken.append(time.perf_counter() - start)
                outcomes[str(status) if status != 200 else "right" if answer == right[phrase] else "wrong"] += 1
                if len(taken) == WARM:
                    memory.append(process.memory_info().rss / 1e6)

    start = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(clients):
            group.start_soon(caller)
    seconds = time.perf_counter() - start
    memory.append(process.memory_info().rss / 1e6)
    ordered = sorted(taken)
    print(f"{clients} clients, {calls} calls: {dict(outcomes)}, {calls / seconds:.0f} a second")
    print(f"  median {statistics.median(ordered) * 1e3:.0f} ms, p99 {ordered[int(len(ordered) * 0.99)] * 1e3:.0f} ms")
    print(f"  resident memory {', then '.join(f'{value:.0f} MB' for value in memory)}")


def main() -> None:
    """Start a server, and load it as it can bear and beyond."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clients", type=int, default=64, help="at the same time (default: 64)")
    options.add_argument("--calls", type=int, default=10_000, help="in all (default: 10000)")
    options.add_argument("--crowd", type=int, default=512, help="clients of the overload (default: 512)")
    options.add_argument("--port", type=int, default=8871, help="to listen on (default: 8871)")
    chosen = options.parse_args()
    with served(chosen.port) as process:
        address = f"http://127.0.0.1:{chosen.port}"
        anyio.run(load, address, process, chosen.clients, chosen.calls)
        anyio.run(load, address, process, chosen.crowd, chosen.crowd * 4)
        anyio.run(load, address, process, 1, 100)


if __name__ == "__main__":
    main()
