"""Anthropic's models, through the vendor's SDK (the extra `eval`)."""

from collections.abc import Sequence
from typing import Any, Final

import anthropic
from pydantic import SecretStr

from server.providers.base import Chat, ToolDefinition, ToolResult, ToolUse, Turn, token_count
from server.providers.vendor import VendorChat, VendorProvider

MAX_TOKENS: Final = 4096
"""Tokens that a model may write in one turn. The API requires a limit; this one leaves room for many calls."""


class AnthropicProvider(VendorProvider):
    """The Messages API."""

    def __init__(self, model: str, key: SecretStr, base_url: str | None, timeout: float, retries: int) -> None:
        """Ask `model` at `base_url` (None: the vendor's own); `timeout` is in seconds per attempt."""
        client = anthropic.AsyncAnthropic(
            api_key=key.get_secret_value(), base_url=base_url, timeout=timeout, max_retries=retries
        )
        super().__init__(client, model, key)

    def chat(self, tools: Sequence[ToolDefinition]) -> Chat:
        """Start a conversation."""
        return _AnthropicChat(self._client, self.model, self._key, tools)


class _AnthropicChat(VendorChat):
    sdk_error = anthropic.AnthropicError

    def __init__(self, client: Any, model: str, key: SecretStr, tools: Sequence[ToolDefinition]) -> None:
        super().__init__(client, model, key)
        self._tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools
        ]

    async def send_results(self, results: Sequence[ToolResult]) -> Turn:
        content = [
            {"type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.is_error}
            for result in results
        ]
        self._messages.append({"role": "user", "content": content})
        return await self._next_turn()

    async def _request(self) -> Turn:
        message = await self._client.messages.create(
            model=self._model,
            messages=self._messages,
            tools=self._tools or anthropic.omit,
            max_tokens=MAX_TOKENS,
        )
        return _turn_of(message)


def _turn_of(message: Any) -> Turn:
    """Read a message of the API.

    Raises:
        LookupError, TypeError, AttributeError, ValueError: the message has another shape.
    """
    content = [block.model_dump(exclude_none=True, warnings=False) for block in message.content]
    return Turn(
        text="".join(block.text for block in message.content if block.type == "text"),
        tool_uses=tuple(
            ToolUse(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"
        ),
        tokens_in=_tokens_in(message.usage),
        tokens_out=token_count(getattr(message.usage, "output_tokens", None)),
        refused=message.stop_reason == "refusal",
        message={"role": "assistant", "content": content},
    )


def _tokens_in(usage: Any) -> int | None:
    """Tokens sent, including those read from and written to the cache."""
    sent = token_count(getattr(usage, "input_tokens", None))
    cached = [
        token_count(getattr(usage, name, None)) or 0
        for name in ("cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    return None if sent is None else sent + sum(cached)
