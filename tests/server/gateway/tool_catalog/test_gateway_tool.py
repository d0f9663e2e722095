"""Tools as the gateway offers them."""

from typing import Any

from server.gateway.tool_catalog.gateway_tool import digest, fingerprint, gateway_tools
from tests.server.gateway.tool_catalog.tools import tool


def test_calls_go_to_the_exact_own_name_whatever_the_model_sees() -> None:
    (found,) = gateway_tools({"my files": [tool(" get\u200b it ")]})
    assert found.own_name == " get\u200b it "
    assert found.name == found.tool.name == "my_files__get_it"


def test_of_two_tools_with_one_name_the_first_is_used_and_told() -> None:
    first, second = gateway_tools({"files": [tool("read", "first"), tool("read", "second"), tool("write")]})
    assert (first.tool.description, second.own_name) == ("first", "write")
    assert first.reports == ("server 'files': tool 'read' is listed 2 times; only the first is used",)
    assert gateway_tools({"files": []}) == ()


def test_whatever_a_tool_says_of_itself_changes_its_fingerprint() -> None:
    cases: list[dict[str, Any]] = [
        {"name": "write"},
        {"title": "Read"},
        {"description": "Reads"},
        {"description": "reads\u200b"},
        {"inputSchema": {"type": "object", "properties": {"a": {"description": "x"}}}},
        {"inputSchema": {"type": "object", "required": ["b", "a"]}},
        {"outputSchema": {"type": "object"}},
        {"annotations": {"readOnlyHint": True}},
    ]
    for change in cases:
        given: dict[str, Any] = {"name": "read", "description": "reads", "inputSchema": {"required": ["a", "b"]}}
        assert fingerprint(tool(**given | change)) != fingerprint(tool(**given)), change


def test_a_fingerprint_does_not_depend_on_order_or_depth() -> None:
    one = tool("a", inputSchema={"type": "object", "properties": {}})
    other = tool("a", inputSchema={"properties": {}, "type": "object"})
    assert fingerprint(one) == fingerprint(other)
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"properties": deep}
    assert len(digest(deep)) == 64


def test_values_that_differ_have_different_digests() -> None:
    cases: list[tuple[Any, Any]] = [
        (["a", "b"], ["ab"]),
        ([["a"], "b"], [["a", "b"]]),
        ({"a": "b"}, ["a", "b"]),
        ("1", 1),
        (1, True),
        (None, "None"),
    ]
    for one, other in cases:
        assert digest(one) != digest(other), one
