"""The texts of an upstream's tool that the model sees."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from embeddings.labels.tool_list import LONGEST_NAME, LONGEST_TEXT
from embeddings.text.invisible import first_hidden
from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools
from server.gateway.tool_catalog.guards import DEEPEST, LARGEST
from tests.server.gateway.tool_catalog.tools import tool


def guarded(**parts: Any) -> GatewayTool:
    (found,) = gateway_tools({"files": [tool("read", **parts)]})
    return found


SCHEMA = {
    "type": "object",
    "title": "Arguments",
    "properties": {
        "path": {"type": "string", "description": "where\nit is", "enum": ["a b", "ünï", ""], "default": "a b"},
        "depth": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def test_a_plain_tool_stays_as_it_is() -> None:
    given_tool = tool(
        "read", "Reads a file.\nAll of it.", title="Read", inputSchema=SCHEMA, annotations={"readOnlyHint": True}
    )
    (found,) = gateway_tools({"files": [given_tool]})
    assert found.tool == given_tool.model_copy(update={"name": "files__read"})
    assert found.reports == ()


def test_hidden_characters_are_removed_everywhere_and_told() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"description": "Ignore\u202e this\x1b"}, "tool 'read' has a description that hides characters"),
        ({"title": "a\u200bb"}, "a title that hides"),
        ({"annotations": {"title": "a\u200bb"}}, "a title of annotations that hides"),
        ({"inputSchema": {"properties": {"a": {"description": "x\u200b"}}}}, "inputSchema that hides characters in 1"),
        ({"inputSchema": {"properties": {"a\u200b": {"title": "\u2066"}}}}, "inputSchema that hides characters in 2"),
        ({"inputSchema": {"$defs": {"a": {"oneOf": [{"enum": ["\U000e0041"]}]}}}}, "hides characters in 1 text;"),
        ({"outputSchema": {"description": "\u200bx"}}, "outputSchema that hides"),
    ]
    for part, told in cases:
        found = guarded(**part)
        shown = json.dumps(found.tool.model_dump(exclude_none=True), ensure_ascii=False)
        assert first_hidden(shown, one_line=False) is None, part
        (report,) = found.reports
        assert told in report, part


def test_a_long_text_is_cut_and_told() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"description": "a" * 9000}, {"description": "a" * LONGEST_TEXT}, "a description of 9,000 characters; cut"),
        ({"title": "a" * 300}, {"title": "a" * LONGEST_NAME}, "a title of 300 characters; cut to 200"),
        (
            {"inputSchema": {"description": "a" * 9000}},
            {"input_schema": {"description": "a" * LONGEST_TEXT}},
            "an inputSchema with 1 text too long",
        ),
    ]
    for part, shown, told in cases:
        found = guarded(**part)
        assert {key: getattr(found.tool, key) for key in shown} == shown, part
        (report,) = found.reports
        assert told in report, part


def test_values_that_the_upstream_expects_are_not_cut() -> None:
    for keyword in ["const", "default", "enum", "examples"]:
        value = [{"description": "a" * 9000, "title": "b" * 900}]
        assert guarded(inputSchema={keyword: value}).tool.input_schema == {keyword: value}, keyword


def nested(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(levels - 1):
        found = {"items": found}
    return found


def test_a_schema_beyond_the_limits_is_replaced_and_told() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        (nested(DEEPEST + 1), "more than 50 levels"),
        (nested(9_000), "more than 50 levels"),
        ({"description": "a" * LARGEST}, "more than 100,000 bytes"),
        ({"properties": {f"p{number}": {} for number in range(LARGEST // 4)}}, "more than 100,000 bytes"),
        ({"enum": list(range(LARGEST))}, "more than 100,000 bytes"),
    ]
    for schema, told in cases:
        found = gateway_tools({"files": [tool("read").model_copy(update={"input_schema": schema})]})[0]
        assert found.tool.input_schema == {"type": "object"}, schema
        assert found.reports == (
            f"server 'files': tool 'read' has an inputSchema of {told}; replaced by a schema of any object",
        ), schema


def test_a_schema_beyond_the_limit_of_depth_is_left_out() -> None:
    found = guarded(outputSchema=nested(DEEPEST + 1))
    assert found.tool.output_schema is None
    assert "has an outputSchema of more than 50 levels; left out" in found.reports[0]
    assert guarded(inputSchema=nested(DEEPEST)).tool.input_schema == nested(DEEPEST)


def test_parts_that_no_model_reads_are_left_out() -> None:
    found = guarded(icons=[{"src": "https://example.com/a.png"}], _meta={"a": 1}, execution={"taskSupport": "required"})
    assert (found.tool.icons, found.tool.meta, found.tool.execution) == (None, None, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
    max_leaves=8,
)


@given(st.text(), st.text(), st.dictionaries(st.text() | st.sampled_from(["title", "enum", "default"]), JSON))
def test_nothing_hidden_is_left_in_any_text(title: str, description: str, schema: dict[str, Any]) -> None:
    found = guarded(title=title, description=description, inputSchema=schema)
    texts = [found.tool.name, found.tool.title or "", found.tool.description or "", *_texts(found.tool.input_schema)]
    assert [first_hidden(text, one_line=False) for text in texts] == [None] * len(texts)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z $]+", fullmatch=True), JSON.filter(lambda value: all(map(_plain, _texts(value))))
    )
)
def test_a_schema_without_hidden_characters_stays_as_it_is(schema: dict[str, Any]) -> None:
    assert guarded(inputSchema=schema).tool.input_schema == schema


def _plain(text: str) -> bool:
    return text.isprintable() and first_hidden(text, one_line=True) is None


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(text for part in value.values() for text in _texts(part))]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []
