"""Anthropic's models, through the vendor's SDK (the extra `eval`)."""

from collections.abc import Sequence
from typing import Any, Final

import anthropic

from server.harness.provider import Chat, ProviderError, Turn, count_of
from server.harness.recording import Call
from server.harness.secrets import Secret
from server.harness.tool_runner import Definition
from server.harness.vendor_provider import VendorProvider

MOST_TOKENS: Final = 4096
"""Tokens that a model may write in one turn; the API wants a limit."""


class AnthropicProvider(VendorProvider):
    """The Messages API."""

    def __init__(self, model: str, key: Secret, base_url: str | None, timeout: float, retries: int) -> None:
        """Ask `model` at `base_url`, the vendor's own when None; timeout in seconds for each try."""
        client = anthropic.AsyncAnthropic(api_key=key.reveal(), base_url=base_url, timeout=timeout, max_retries=retries)
        super().__init__(client, model, key)

    def chat(self, tools: Sequence[Definition]) -> Chat:
        """Begin a conversation."""
        return _AnthropicChat(self._client, self.model, self._key, tools)


class _AnthropicChat:
    def __init__(self, client: Any, model: str, key: Secret, tools: Sequence[Definition]) -> None:
        self._client = client
        self._model = model
        self._key = key
        self._messages: list[dict[str, Any]] = []
        self._tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools
        ]

    async def ask(self, text: str) -> Turn:
        self._messages.append({"role": "user", "content": text})
        return await self._turn()

    async def answer(self, results: Sequence[tuple[str, str, bool]]) -> Turn:
        content = [
            {"type": "tool_result", "tool_use_id": id_, "content": text, "is_error": failed}
            for id_, text, failed in results
        ]
        self._messages.append({"role": "user", "content": content})
        return await self._turn()

    async def _turn(self) -> Turn:
        try:
            message = await self._client.messages.create(
                model=self._model, messages=self._messages, tools=self._tools, max_tokens=MOST_TOKENS
            )
            turn = _turn_of(message)
        except (anthropic.AnthropicError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ProviderError(self._key.hidden_in(f"{type(error).__name__}: {error}")) from None
        self._messages.append({"role": "assistant", "content": turn.raw})
        return turn


def _turn_of(message: Any) -> Turn:
    """A message as a turn.

    Raises:
        LookupError, TypeError, AttributeError: it is not of the shape.
    """
    calls = tuple(
        (block.id, Call(tool=block.name, arguments=block.input))
        for block in message.content
        if block.type == "tool_use"
    )
    return Turn(
        text="".join(block.text for block in message.content if block.type == "text"),
        calls=calls,
        tokens_in=_tokens_in(message.usage),
        tokens_out=count_of(getattr(message.usage, "output_tokens", None)),
        refused=message.stop_reason == "refusal",
        raw=[block.model_dump(exclude_none=True, warnings=False) for block in message.content],
    )


def _tokens_in(usage: Any) -> int | None:
    """Tokens sent, those read from and written to the cache included."""
    sent = count_of(getattr(usage, "input_tokens", None))
    cached = [
        count_of(getattr(usage, name, None)) or 0 for name in ("cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    return None if sent is None else sent + sum(cached)
