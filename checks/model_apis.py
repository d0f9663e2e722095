"""The four APIs by which hosts ask a language model: what a request holds, and an answer in the API's own form."""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

JsonObject = dict[str, Any]

_NUMBERS: Final = itertools.count(1)


@dataclass(frozen=True)
class Say:
    """An answer of text, which ends the conversation."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of a tool, by the name that the host gave it."""

    tool: str
    arguments: Mapping[str, Any]
    namespace: str | None = None


Answer = Say | Call


@dataclass(frozen=True)
class Api:
    """One API.

    Attributes:
        tools: the names of the tools that a request offers, with their namespace where the API has such.
        results: the answers of tools so far, as texts.
        answer: the body of a streamed answer.
        whole: the body of an answer that is not streamed.
    """

    tools: Callable[[JsonObject], list[tuple[str | None, str]]]
    results: Callable[[JsonObject], list[str]]
    answer: Callable[[Answer], str]
    whole: Callable[[Answer], JsonObject]


def _text(content: object) -> str:
    """Return the texts of a message's content, whichever way it is written."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(map(_text, content))
    if isinstance(content, dict):
        return _text(content.get("text") or content.get("content") or content.get("output") or "")
    return ""


def _events(events: Iterator[JsonObject], *, named: bool = False) -> str:
    lines = ((f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events)
    return "".join(lines)


# Anthropic: POST /v1/messages


def _anthropic_tools(body: JsonObject) -> list[tuple[str | None, str]]:
    return [(None, tool["name"]) for tool in body.get("tools", [])]


def _anthropic_results(body: JsonObject) -> list[str]:
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    parts = [part for content in contents for part in content if part.get("type") == "tool_result"]
    return [_text(part.get("content")) for part in parts]


def _anthropic_message(answer: Answer) -> JsonObject:
    block: JsonObject = (
        {"type": "text", "text": answer.text}
        if isinstance(answer, Say)
        else {"type": "tool_use", "id": f"toolu_{next(_NUMBERS):024}", "name": answer.tool, "input": answer.arguments}
    )
    return {
        "id": f"msg_{next(_NUMBERS):024}",
        "type": "message",
        "role": "assistant",
        "model": "claude-fake",
        "content": [block],
        "stop_reason": "end_turn" if isinstance(answer, Say) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _anthropic_stream(answer: Answer) -> str:
    def events() -> Iterator[JsonObject]:
        message = _anthropic_message(answer)
        (block,) = message["content"]
        yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
        if isinstance(answer, Say):
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": answer.text}
        else:
            text = json.dumps(dict(answer.arguments))
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": text}
        yield {"type": "content_block_start", "index": 0, "content_block": empty}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}

    return _events(events(), named=True)


# Gemini: POST /v1beta/models/MODEL:streamGenerateContent


def _gemini_tools(body: JsonObject) -> list[tuple[str | None, str]]:
    declarations = [each for tool in body.get("tools", []) for each in tool.get("functionDeclarations", [])]
    return [(None, each["name"]) for each in declarations]


def _gemini_results(body: JsonObject) -> list[str]:
    parts = [part for content in body["contents"] for part in content["parts"] if "functionResponse" in part]
    return [json.dumps(part["functionResponse"]["response"], ensure_ascii=False) for part in parts]


def _gemini_whole(answer: Answer) -> JsonObject:
    part: JsonObject = (
        {"text": answer.text}
        if isinstance(answer, Say)
        else {"functionCall": {"name": answer.tool, "args": dict(answer.arguments)}, "thoughtSignature": "c2ln"}
    )
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "gemini-fake",
    }


def _gemini_stream(answer: Answer) -> str:
    return _events(iter([_gemini_whole(answer)]))


# OpenAI and those compatible with it: POST /v1/chat/completions


def _chat_tools(body: JsonObject) -> list[tuple[str | None, str]]:
    # Tools of other types, such as "custom", take no JSON arguments and are never called here.
    return [(None, tool["function"]["name"]) for tool in body.get("tools", []) if "function" in tool]


def _chat_results(body: JsonObject) -> list[str]:
    return [_text(message["content"]) for message in body["messages"] if message["role"] == "tool"]


def _chat_message(answer: Answer) -> JsonObject:
    if isinstance(answer, Say):
        return {"role": "assistant", "content": answer.text}
    function = {"name": answer.tool, "arguments": json.dumps(dict(answer.arguments))}
    call = {"index": 0, "id": f"call_{next(_NUMBERS)}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _chat(answer: Answer, **choice: Any) -> JsonObject:
    reason = "stop" if isinstance(answer, Say) else "tool_calls"
    return {
        "id": f"chatcmpl-{next(_NUMBERS)}",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "finish_reason": reason, **choice}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _chat_whole(answer: Answer) -> JsonObject:
    return {**_chat(answer, message=_chat_message(answer)), "object": "chat.completion"}


def _chat_stream(answer: Answer) -> str:
    def events() -> Iterator[JsonObject]:
        yield {**_chat(answer, delta=_chat_message(answer), finish_reason=None), "object": "chat.completion.chunk"}
        yield {**_chat(answer, delta={}), "object": "chat.completion.chunk"}

    return _events(events()) + "data: [DONE]\n\n"


# OpenAI's Responses: POST /v1/responses


def _responses_tools(body: JsonObject) -> list[tuple[str | None, str]]:
    found: list[tuple[str | None, str]] = []
    for tool in body.get("tools", []):
        if tool["type"] == "namespace":
            found += [(tool["name"], inner["name"]) for inner in tool["tools"]]
        else:
            found.append((None, tool.get("name", tool["type"])))
    return found


def _responses_results(body: JsonObject) -> list[str]:
    return [_text(item["output"]) for item in body["input"] if item.get("type") == "function_call_output"]


def _responses_whole(answer: Answer) -> JsonObject:
    item: JsonObject
    if isinstance(answer, Say):
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        item = {"type": "message", "id": f"msg_{next(_NUMBERS)}", "role": "assistant", "content": content}
    else:
        number = next(_NUMBERS)
        arguments = json.dumps(dict(answer.arguments))
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        item |= {"name": answer.tool, "arguments": arguments}
        item |= {"namespace": answer.namespace} if answer.namespace else {}
    usage: JsonObject = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    identity = {"id": f"resp_{next(_NUMBERS)}", "object": "response", "status": "completed"}
    return {**identity, "output": [{**item, "status": "completed"}], "usage": usage}


def _responses_stream(answer: Answer) -> str:
    def events() -> Iterator[JsonObject]:
        whole = _responses_whole(answer)
        (item,) = whole["output"]
        yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": whole}

    return _events(events(), named=True)


ANTHROPIC: Final = Api(_anthropic_tools, _anthropic_results, _anthropic_stream, _anthropic_message)
GEMINI: Final = Api(_gemini_tools, _gemini_results, _gemini_stream, _gemini_whole)
CHAT: Final = Api(_chat_tools, _chat_results, _chat_stream, _chat_whole)
RESPONSES: Final = Api(_responses_tools, _responses_results, _responses_stream, _responses_whole)


def api_of(path: str) -> Api | None:
    """Return the API that a request's path belongs to."""
    route = path.partition("?")[0]
    if route.endswith("/v1/messages"):
        return ANTHROPIC
    if route.endswith((":streamGenerateContent", ":generateContent")):
        return GEMINI
    if route.endswith("/chat/completions"):
        return CHAT
    return RESPONSES if route.endswith("/responses") else None
