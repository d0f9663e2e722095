"""A prompt put to the local server through a vendor's SDK, and a small suite of prompts."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server.evals.evaluate import converse
from server.evals.recording import Recording
from server.evals.tool_runner import connect
from server.matching.service import Service
from server.providers import open_provider
from server.providers.base import Provider
from tests.server.providers.model_server import ModelServer, Reply
from tests.server.providers.wire_shapes import Say

KEY = "sk-local-4711-secret"
MODEL = "toy-model"
UNDO = ("lookup_capability", {"agent": "claude-code", "capability": "undo"})

PROMPTS: list[dict[str, Any]] = [
    {
        "input": "How do I rewind in Claude Code?",
        "stratum": "plain",
        "expectedTool": "lookup_capability",
        "expectedArgs": {"agent": "claude-code", "capability": "Checkpoints"},
    },
    {
        "input": "Which of them can look at a picture?",
        "stratum": "several",
        "expectedTool": "compare_capability",
        "expectedArgs": {"capability": "Vision"},
    },
    {"input": "Sing me a song.", "stratum": "none", "expectedTool": None, "expectedArgs": {}},
]
INPUTS = [str(prompt["input"]) for prompt in PROMPTS]
GOOD: dict[str, list[Reply]] = {
    INPUTS[0]: [Say(calls=(UNDO,)), Say("Press escape twice.")],
    INPUTS[1]: [Say(calls=(("compare_capability", {"capability": "picture"}),)), Say("Gemini CLI.")],
    INPUTS[2]: [Say("La la la.")],
}
"""Replies of a model without a fault."""


def write_prompts(folder: Path) -> Path:
    path = folder / "prompts.json"
    path.write_text(json.dumps({"prompts": PROMPTS}), encoding="utf-8")
    return path


def provider_of(server: ModelServer, vendor: str, *, retries: int = 2, timeout: float = 30.0) -> Provider:
    return open_provider(
        vendor, MODEL, base_url=server.base_url(vendor), key_variable=None, timeout=timeout, retries=retries
    )


class Asker:
    """Puts prompts to a vendor's model, with the toy service's tools."""

    def __init__(self, server: ModelServer, vendor: str, service: Service) -> None:
        self.server = server
        self.vendor = vendor
        self.service = service

    async def __call__(
        self, *replies: Reply, text: str = "a prompt", steps: int = 8, retries: int = 2, timeout: float = 30.0
    ) -> Recording:
        self.server.script[text] = replies
        async with self._provider(retries, timeout) as provider, connect(self.service) as runner:
            return await converse(provider.chat(runner.definitions), text, runner, steps)

    @asynccontextmanager
    async def _provider(self, retries: int, timeout: float) -> AsyncIterator[Provider]:
        provider = provider_of(self.server, self.vendor, retries=retries, timeout=timeout)
        try:
            yield provider
        finally:
            await provider.close()

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The messages of the last request."""
        messages: list[dict[str, Any]] = self.server.requests[-1].body["messages"]
        return messages

    def answers(self) -> list[tuple[str, str]]:
        """Ids and texts of the answers to calls in the last request."""
        if self.vendor == "openai":
            return [(each["tool_call_id"], each["content"]) for each in self.sent if each["role"] == "tool"]
        return [(each["tool_use_id"], each["content"]) for each in self.sent[-1]["content"]]
