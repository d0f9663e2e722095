"""Clients of both protocol eras that keep asking, and note every answer that is missing or wrong."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

HOST: Final = "agents.example"
"""How the callers name the service; no replica takes this for a name of its own machine."""

VERSIONS: Final = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""The version that a client of each mode is to agree on."""

CALLS_OF_A_CLIENT: Final = 20
"""Before it leaves, and another connects."""

AGENTS: Final = ("claude-code", "copilot-cli", "gemini-cli", "vscode-copilot")
PHRASES: Final = (
    "can it undo what it did?",
    "plug in outside tools",
    "does it remember me tomorrow",
    "keep it away from my secrets",
    "what did this cost me",
    "let it think longer",
    "read the screenshot",
    "run it from cron",
    "who allowed it to run that",
    "carry on where we left off",
    "several of them at the same time",
    "it should follow our house style",
    "try it without breaking anything",
    "weather tomorrow",
)
QUESTIONS: Final[list[tuple[str, dict[str, Any]]]] = [
    *(("lookup_capability", {"agent": agent, "capability": phrase}) for phrase in PHRASES for agent in AGENTS),
    *(("compare_capability", {"capability": phrase}) for phrase in PHRASES),
    *(("get_sources", {"agent": "gemini-cli", "capability": phrase}) for phrase in PHRASES),
    *(("list_capabilities", {"agent": agent}) for agent in AGENTS),
]


@asynccontextmanager
async def client_of(address: str, mode: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Host": HOST}, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        assert client.protocol_version == VERSIONS[mode]
        yield client


async def right_answers(address: str) -> list[Any]:
    """Return what each question is answered when nothing goes wrong."""
    async with client_of(address, "auto") as client:
        return [(await client.call_tool(tool, arguments)).structured_content for tool, arguments in QUESTIONS]


@dataclass
class Callers:
    """The outcomes of the questions so far.

    Attributes:
        right: what each question is to be answered.
        answered: questions answered right, by the mode of the client.
        failures: every other outcome of a question or of a connection.
        over: set when enough was asked.
    """

    right: list[Any]
    answered: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    over: anyio.Event = field(default_factory=anyio.Event)

    async def keep_asking(self, address: str, mode: str) -> None:
        numbers = cycle(range(len(QUESTIONS)))
        while not self.over.is_set():
            try:
                async with client_of(address, mode) as client:
                    for _ in range(CALLS_OF_A_CLIENT):
                        await self._ask(client, mode, next(numbers))
            except Exception as error:
                self.failures.append(f"{mode}: {error!r}")

    async def until(self, count: int) -> None:
        """Returns when callers of each mode have got so many answers."""
        while min(self.answered[mode] for mode in VERSIONS) < count:
            assert not self.failures, self.failures
            await anyio.sleep(0.01)

    async def _ask(self, client: Client, mode: str, number: int) -> None:
        tool, arguments = QUESTIONS[number]
        answer = await client.call_tool(tool, arguments)
        if answer.structured_content == self.right[number]:
            self.answered[mode] += 1
        else:
            self.failures.append(f"{mode}: {tool} {arguments}: {answer}")
