"""Models behind an OpenAI-compatible API, through the vendor's SDK (the extra `eval`)."""

import json
from collections.abc import Sequence
from typing import Any

import openai

from server.harness.provider import Chat, ProviderError, Turn, count_of
from server.harness.recording import Call
from server.harness.secrets import Secret
from server.harness.tool_runner import Definition
from server.harness.vendor_provider import VendorProvider


class OpenAIProvider(VendorProvider):
    """Chat completions."""

    def __init__(self, model: str, key: Secret, base_url: str | None, timeout: float, retries: int) -> None:
        """Ask `model` at `base_url`, the vendor's own when None; timeout in seconds for each try."""
        client = openai.AsyncOpenAI(api_key=key.reveal(), base_url=base_url, timeout=timeout, max_retries=retries)
        super().__init__(client, model, key)

    def chat(self, tools: Sequence[Definition]) -> Chat:
        """Begin a conversation."""
        return _OpenAIChat(self._client, self.model, self._key, tools)


class _OpenAIChat:
    def __init__(self, client: Any, model: str, key: Secret, tools: Sequence[Definition]) -> None:
        self._client = client
        self._model = model
        self._key = key
        self._messages: list[dict[str, Any]] = []
        self._tools = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
            }
            for tool in tools
        ]

    async def ask(self, text: str) -> Turn:
        self._messages.append({"role": "user", "content": text})
        return await self._turn()

    async def answer(self, results: Sequence[tuple[str, str, bool]]) -> Turn:
        self._messages += [{"role": "tool", "tool_call_id": id_, "content": text} for id_, text, _ in results]
        return await self._turn()

    async def _turn(self) -> Turn:
        try:
            completion = await self._client.chat.completions.create(
                model=self._model, messages=self._messages, tools=self._tools
            )
            turn = _turn_of(completion)
        except (openai.OpenAIError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ProviderError(self._key.hidden_in(f"{type(error).__name__}: {error}")) from None
        self._messages.append(turn.raw)
        return turn


def _turn_of(completion: Any) -> Turn:
    """A completion as a turn.

    Raises:
        LookupError, TypeError, AttributeError: it is not of the shape.
    """
    message = completion.choices[0].message
    calls = tuple(
        (call.id, Call(tool=call.function.name, arguments=arguments_of(call.function.arguments)))
        for call in message.tool_calls or ()
    )
    usage = completion.usage
    return Turn(
        text=_text_of(message.content) or message.refusal or "",
        calls=calls,
        tokens_in=count_of(usage.prompt_tokens) if usage else None,
        tokens_out=count_of(usage.completion_tokens) if usage else None,
        refused=bool(message.refusal) or completion.choices[0].finish_reason == "content_filter",
        raw=message.model_dump(exclude_none=True, warnings=False),
    )


def _text_of(content: Any) -> str:
    """The words of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""


def arguments_of(text: str | None) -> Any:
    """The arguments that a model wrote; the text itself where it is not JSON."""
    if not text or not text.strip():
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
