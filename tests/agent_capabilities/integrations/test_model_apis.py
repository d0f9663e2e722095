"""Searches that a client answers, in the shapes of the vendors' SDKs."""

from typing import Any

import pytest

pytest.importorskip("anthropic")
pytest.importorskip("openai")
from anthropic.types import ToolParam, ToolUseBlock
from openai.types.responses import FunctionToolParam, ResponseToolSearchCall, ToolSearchToolParam
from openai.types.responses.response_tool_search_output_item_param_param import ResponseToolSearchOutputItemParamParam
from pydantic import TypeAdapter

from agent_capabilities.integrations.anthropic import ReferencingToolSearch
from agent_capabilities.integrations.openai import ClientToolSearch
from tests.agent_capabilities.integrations.tools import DESCRIPTIONS, NEEDS

FUNCTIONS: list[FunctionToolParam] = [
    {"type": "function", "name": name, "description": text, "parameters": {"type": "object"}, "strict": False}
    for name, text in DESCRIPTIONS.items()
]
TOOLS: list[ToolParam] = [
    {"name": name, "description": text, "input_schema": {"type": "object"}} for name, text in DESCRIPTIONS.items()
]


def search_call(arguments: object) -> ResponseToolSearchCall:
    return ResponseToolSearchCall(
        id="s1", call_id="c1", arguments=arguments, execution="client", status="completed", type="tool_search_call"
    )


def use(query: Any, name: str = "search_tools") -> ToolUseBlock:
    return ToolUseBlock(id="u1", name=name, input=query, type="tool_use")


def test_a_search_that_the_client_runs_is_defined_and_answered_as_the_responses_api_has_it() -> None:
    search = ClientToolSearch(FUNCTIONS, most=2)
    TypeAdapter(ToolSearchToolParam).validate_python(search.definition)
    assert search.definition["execution"] == "client"
    for need, name in NEEDS.items():
        answer = search.answer(search_call({"query": need}))
        TypeAdapter(ResponseToolSearchOutputItemParamParam).validate_python(answer)
        assert answer["call_id"] == "c1"
        assert [tool["name"] for tool in answer["tools"]][:1] == ([name] if name else []), need  # type: ignore[typeddict-item]
    assert search.answer(search_call('{"query": "write down this bug"}'))["tools"]


def test_a_search_of_ones_own_is_answered_with_references() -> None:
    search = ReferencingToolSearch(TOOLS, most=2)
    first, *others = search.tools
    assert first["name"] == "search_tools"
    assert "defer_loading" not in first
    assert all(tool["defer_loading"] for tool in others)
    for need, name in NEEDS.items():
        answer = search.answer(use({"query": need}))
        assert (answer["type"], answer["tool_use_id"]) == ("tool_result", "u1")
        block: Any = next(iter(answer["content"]))
        expected = {"type": "tool_reference", "tool_name": name}
        assert block == expected if name else block["type"] == "text", need


def test_a_search_without_a_query_is_told() -> None:
    wrong: list[object] = [{}, {"query": 3}, [], "[]"]
    for arguments in wrong:
        with pytest.raises(ValueError, match="takes a 'query'"):
            ClientToolSearch(FUNCTIONS).answer(search_call(arguments))
    for given in (use({}), use({"query": "x"}, name="send_mail")):
        with pytest.raises(ValueError, match="takes a 'query'"):
            ReferencingToolSearch(TOOLS).answer(given)
