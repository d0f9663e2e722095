"""Models behind an OpenAI-compatible API, through the vendor's SDK (the extra `eval`)."""

import json
from collections.abc import Sequence
from typing import Any

import openai
from pydantic import SecretStr

from server.providers.base import Chat, ToolDefinition, ToolResult, ToolUse, Turn, token_count
from server.providers.vendor import VendorChat, VendorProvider


class OpenAIProvider(VendorProvider):
    """The Chat Completions API."""

    def __init__(self, model: str, key: SecretStr, base_url: str | None, timeout: float, retries: int) -> None:
        """Ask `model` at `base_url` (None: the vendor's own); `timeout` is in seconds per attempt."""
        client = openai.AsyncOpenAI(
            api_key=key.get_secret_value(), base_url=base_url, timeout=timeout, max_retries=retries
        )
        super().__init__(client, model, key)

    def chat(self, tools: Sequence[ToolDefinition]) -> Chat:
        """Start a conversation."""
        return _OpenAIChat(self._client, self.model, self._key, tools)


class _OpenAIChat(VendorChat):
    sdk_error = openai.OpenAIError

    def __init__(self, client: Any, model: str, key: SecretStr, tools: Sequence[ToolDefinition]) -> None:
        super().__init__(client, model, key)
        self._tools = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
            }
            for tool in tools
        ]

    async def send_results(self, results: Sequence[ToolResult]) -> Turn:
        self._messages += [{"role": "tool", "tool_call_id": result.id, "content": result.text} for result in results]
        return await self._next_turn()

    async def _request(self) -> Turn:
        completion = await self._client.chat.completions.create(
            model=self._model, messages=self._messages, tools=self._tools or openai.omit
        )
        return _turn_of(completion)


def _turn_of(completion: Any) -> Turn:
    """Read a completion of the API.

    Raises:
        LookupError, TypeError, AttributeError, ValueError: the completion has another shape.
    """
    message = completion.choices[0].message
    usage = completion.usage
    return Turn(
        text=_text_of(message.content) or message.refusal or "",
        tool_uses=tuple(
            ToolUse(use.id, use.function.name, _arguments_of(use.function.arguments))
            for use in message.tool_calls or ()
        ),
        tokens_in=token_count(usage.prompt_tokens) if usage else None,
        tokens_out=token_count(usage.completion_tokens) if usage else None,
        refused=bool(message.refusal) or completion.choices[0].finish_reason == "content_filter",
        message=message.model_dump(exclude_none=True, warnings=False),
    )


def _text_of(content: Any) -> str:
    """Return the words of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""


def _arguments_of(text: str | None) -> Any:
    """Return the arguments that a model wrote; the text itself if it is not JSON."""
    if not text or not text.strip():
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
