"""Calls one server over HTTP with many clients and records the outcomes."""

import json
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

import anyio
import httpx2

from benchmarks.http_server_process import ROOT, ServerProcess

HEADERS: Final = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
RIGHT: Final = "right"
SHED: Final = "503"
WARM: Final = 1000
"""Number of calls before memory is first measured."""

SECONDS: Final = 120
"""Timeout for one answer, in seconds."""

Question = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


def phrases() -> list[str]:
    """Return vague phrases; more than the encoder's cache holds, so that most of them must be embedded."""
    lines = (ROOT / "benchmarks" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines]


def lookups() -> list[Question]:
    """Return lookups of these phrases, for this project's server."""
    return [("lookup_capability", {"agent": "claude-code", "capability": phrase}) for phrase in phrases()]


def echoes() -> list[Question]:
    """Return the same phrases as calls of `echo`, for the baseline server."""
    return [("echo", {"text": phrase}) for phrase in phrases()]


@dataclass(frozen=True)
class Round:
    """The results of one round of calls.

    Attributes:
        clients: number of concurrent clients.
        times: seconds that each call took, by outcome: `right`, `wrong`, an HTTP status, or the name of an error.
        seconds: time from the first call to the last answer.
        memory: resident memory of the server in MB, after the first 1,000 calls (if there were that many) and at the
            end.
    """

    clients: int
    times: dict[str, list[float]]
    seconds: float
    memory: list[float]

    def outcomes(self) -> dict[str, int]:
        """Return the number of calls by outcome."""
        return {outcome: len(times) for outcome, times in sorted(self.times.items())}

    def only(self, *outcomes: str) -> bool:
        """Return whether all of these outcomes occurred, and no others."""
        return set(self.times) == set(outcomes)

    def memory_ratio(self) -> float:
        """Return the memory at the end divided by that at the first measurement."""
        return self.memory[-1] / self.memory[0]

    def to_dict(self) -> dict[str, Any]:
        """Figures for a file; `median` and `p99` are seconds of the right answers."""
        right = sorted(self.times.get(RIGHT, []))
        latency = {"median": statistics.median(right), "p99": right[int(len(right) * 0.99)]} if right else {}
        calls = sum(self.outcomes().values())
        return {"clients": self.clients, "calls": calls, "outcomes": self.outcomes(), "seconds": self.seconds} | (
            {"callsPerSecond": calls / self.seconds, **latency, "memory": self.memory, "ratio": self.memory_ratio()}
        )


async def right_answers(server: ServerProcess, questions: list[Question]) -> list[Any]:
    """Collect the answers that a single client gets.

    Raises:
        RuntimeError: a question was not answered.
    """
    async with _client(server) as client:
        answers = [await _ask(client, question) for question in questions]
    for (status, answer), question in zip(answers, questions, strict=True):
        if status != RIGHT or answer is None:
            raise RuntimeError(f"a single client that asked {question} got {status}: {answer}")
    return [answer for _, answer in answers]


async def ask_all(
    server: ServerProcess, questions: list[Question], right: list[Any], clients: int, calls: int
) -> Round:
    """Make `calls` calls from `clients` concurrent clients; compare each answer with the one a single client got."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    memory: list[float] = []
    numbers = iter(range(calls))

    async def caller() -> None:
        async with _client(server) as client:
            for number in numbers:
                if number == WARM:
                    memory.append(server.memory())
                which = number % len(questions)
                start = time.perf_counter()
                outcome, answer = await _ask(client, questions[which])
                wrong = outcome == RIGHT and answer != right[which]
                times["wrong" if wrong else outcome].append(time.perf_counter() - start)

    start = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(clients):
            group.start_soon(caller)
    seconds = time.perf_counter() - start
    return Round(clients, dict(times), seconds, [*memory, server.memory()])


def _client(server: ServerProcess) -> httpx2.AsyncClient:
    # Without TLS there is nothing to verify, and loading certificates for each client would take time.
    return httpx2.AsyncClient(base_url=server.address, headers=HEADERS, timeout=SECONDS, verify=False)


async def _ask(client: httpx2.AsyncClient, question: Question) -> tuple[str, Any]:
    """Call a tool; return the outcome, `right` if there is an answer to compare, and the answer."""
    tool, arguments = question
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    try:
        response = await client.post("/mcp", json=request)
    except httpx2.TransportError as error:
        return type(error).__name__, None
    if response.status_code == 503 and not response.headers.get("Retry-After", "").isdecimal():
        return "503 without Retry-After", None
    if response.status_code != 200:
        return str(response.status_code), None
    return RIGHT, response.json().get("result", {}).get("content")
