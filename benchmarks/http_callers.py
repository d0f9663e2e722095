"""Many clients that ask one server over HTTP, and what comes of it."""

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
"""Calls before memory is taken for the first time."""

SECONDS: Final = 120
"""For one answer."""

Question = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


def phrases() -> list[str]:
    """Vague phrases; more than the encoder's cache holds, so that most are embedded."""
    lines = (ROOT / "benchmarks" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines]


def lookups() -> list[Question]:
    """Vague lookups, for this project's server."""
    return [("lookup_capability", {"agent": "claude-code", "capability": phrase}) for phrase in phrases()]


def echoes() -> list[Question]:
    """The same phrases, for the server that is the yardstick."""
    return [("echo", {"text": phrase}) for phrase in phrases()]


@dataclass(frozen=True)
class Round:
    """What came of one round of calls.

    Attributes:
        clients: at the same time.
        times: seconds that each call took, by outcome: `right`, `wrong`, an HTTP status, or the name of an error.
        seconds: from the first call to the last answer.
        memory: resident memory of the server in MB, after the first 1,000 calls (if there were as many) and at the end.
    """

    clients: int
    times: dict[str, list[float]]
    seconds: float
    memory: list[float]

    def outcomes(self) -> dict[str, int]:
        """How many calls ended how."""
        return {outcome: len(times) for outcome, times in sorted(self.times.items())}

    def only(self, *outcomes: str) -> bool:
        """Whether each of these occurred, and nothing else."""
        return set(self.times) == set(outcomes)

    def memory_ratio(self) -> float:
        """The end by the beginning."""
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
    """What a single client is answered."""
    async with _client(server) as client:
        answers = [await _ask(client, question) for question in questions]
    for (status, answer), question in zip(answers, questions, strict=True):
        if status != RIGHT or answer is None:
            raise RuntimeError(f"a single client that asked {question} got {status}: {answer}")
    return [answer for _, answer in answers]


async def ask_all(
    server: ServerProcess, questions: list[Question], right: list[Any], clients: int, calls: int
) -> Round:
    """So many calls by so many clients, each answer compared with the one that a single client got."""
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
    # Without TLS there is nothing to verify, and to load certificates for each client takes its time.
    return httpx2.AsyncClient(base_url=server.address, headers=HEADERS, timeout=SECONDS, verify=False)


async def _ask(client: httpx2.AsyncClient, question: Question) -> tuple[str, Any]:
    """The outcome, `right` where there is an answer to compare, and the answer."""
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
