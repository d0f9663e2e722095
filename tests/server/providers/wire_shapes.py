"""A model's replies in each vendor's form."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Say:
    """One turn.

    Attributes:
        text: words for the user.
        calls: tools with their arguments; a text stands for what the model wrote, whether it is JSON or not.
        tokens: sent and written; None where the server does not say.
        refused: the model declines, in these words if there are any.
    """

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    tokens: tuple[Any, Any] | None = (100, 10)
    refused: bool = False


def call_id(turn: int, place: int) -> str:
    return f"call_{turn}_{place}"


def completion_of(said: Say, model: str, turn: int) -> dict[str, Any]:
    """Return a chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": None if said.refused else said.text or None}
    finish = "tool_calls" if said.calls else "stop"
    if said.refused and said.text:
        message["refusal"] = said.text
    elif said.refused:
        finish = "content_filter"
    if said.calls:
        message["tool_calls"] = [
            {
                "id": call_id(turn, place),
                "type": "function",
                "function": {"name": name, "arguments": value if isinstance(value, str) else json.dumps(value)},
            }
            for place, (name, value) in enumerate(said.calls)
        ]
    completion = {
        "id": f"chatcmpl-{turn}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    }
    if said.tokens:
        sent, written = said.tokens
        completion["usage"] = {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": 0}
    return completion


def message_of(said: Say, model: str, turn: int) -> dict[str, Any]:
    """Return a message of the Messages API."""
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    content += [
        {"type": "tool_use", "id": call_id(turn, place), "name": name, "input": value}
        for place, (name, value) in enumerate(said.calls)
    ]
    stopped = "tool_use" if said.calls else "end_turn"
    message: dict[str, Any] = {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "refusal" if said.refused else stopped,
        "stop_sequence": None,
    }
    if said.tokens:
        sent, written = said.tokens
        message["usage"] = {"input_tokens": sent, "output_tokens": written}
    return message


def error_of(text: str) -> str:
    """Return an error body that either SDK reads."""
    return json.dumps({"type": "error", "error": {"type": "some_error", "code": "some_error", "message": text}})
