"""The tools of MCP servers, read as labels."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.tool_list import LONGEST_NAME, LONGEST_TEXT, MAX_PARAMETERS

ISSUE = {
    "name": "create_issue",
    "title": "Create an issue",
    "description": "Opens an issue.",
    "inputSchema": {
        "type": "object",
        "properties": {"title": {"type": "string", "description": "headline"}, "body": {"type": "string"}, "n": 1},
    },
    "annotations": {"title": "not read", "readOnlyHint": False},
    "unheardOf": 1,
}
LABEL = Label(
    "create_issue",
    ("Create an issue",),
    "Opens an issue.",
    fields={"parameters": ("title: headline", "body", "n")},
    id="create_issue",
)


def of(*tools: Any) -> PhraseBook:
    return PhraseBook.from_dict({"tools": list(tools)})


def test_tools_become_labels() -> None:
    cases: list[Any] = [
        {"tools": [ISSUE]},
        [ISSUE],
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [ISSUE], "_meta": {}}},
    ]
    for content in cases:
        assert PhraseBook.from_dict(content) == PhraseBook((LABEL,)), content
        assert PhraseBook.from_dict(content).warnings == [], content


def test_what_no_tool_serves_may_stand_beside_the_tools() -> None:
    book = PhraseBook.from_dict({"tools": [ISSUE], "outOfScope": ["the weather"], "outOfScopeShare": 0.5})
    assert (book.out_of_scope, book.out_of_scope_share) == (("the weather",), 0.5)


def test_the_tools_of_several_servers_are_told_apart_by_their_servers() -> None:
    search = {"name": "search", "description": "finds things"}
    book = PhraseBook.from_dict({"github": {"tools": [search]}, "slack": {"result": {"tools": [search]}}})
    assert [(label.name, label.id, label.fields) for label in book.labels] == [
        ("search", "github/search", {"server": ("github",)}),
        ("search", "slack/search", {"server": ("slack",)}),
    ]


def test_a_server_without_tools_is_told_and_does_not_stop_the_others() -> None:
    book = PhraseBook.from_dict({"github": {"tools": [ISSUE]}, "slack": {"error": "timeout"}})
    assert len(book.labels) == 1
    assert "server 'slack' has no list of tools" in book.warnings[0]


def test_tools_whose_names_fold_alike_are_told_apart_by_their_ids() -> None:
    assert [label.id for label in of({"name": "get_user"}, {"name": "get-user"}, {"name": "GetUser"}).labels] == [
        "get_user",
        "get-user",
        "GetUser",
    ]


def test_a_tool_that_cannot_be_used_is_told_and_does_not_stop_the_rest() -> None:
    cases: list[tuple[Any, str]] = [
        ({"description": "nameless"}, "tools[0] is {'description': 'nameless'}, which has no name"),
        ({"name": 5}, "tools[0] is {'name': 5}, which has no name"),
        ({"name": " \u200b"}, "which has no name"),
        ("a", "tools[0] is 'a'"),
        (None, "tools[0] is None"),
        ({**ISSUE}, "tools[1] has the name 'create_issue' of tools[0]; skipped"),
        ({**ISSUE, "description": "other"}, "has the name 'create_issue' of tools[0], but differs from it; skipped"),
    ]
    for bad, told in cases:
        book = of(bad, ISSUE)
        assert len(book.labels) == 1, bad
        (report,) = book.warnings
        assert told in report, bad


def test_a_text_that_is_too_long_or_hides_something_is_cut_or_cleaned_and_told() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"description": 5}, {"description": ""}, "the description 5, which is not a string"),
        ({"title": []}, {"aliases": ()}, "the title []"),
        ({"description": "a" * 9000}, {"description": "a" * LONGEST_TEXT}, "description of 9,000 characters; cut"),
        ({"description": "Ignore\u202e this\x1b"}, {"description": "Ignore this"}, "description that hides characters"),
        ({"title": "T\u200bo"}, {"aliases": ("To",)}, "title that hides characters"),
        ({"name": "get\u200b_it"}, {"name": "get_it", "id": "get\\u200b_it"}, "name that hides characters"),
        ({"name": "n" * 500}, {"name": "n" * LONGEST_NAME, "id": "n" * LONGEST_NAME}, "name of 500 characters"),
    ]
    for change, label, told in cases:
        book = of({"name": "tool", **change})
        assert {key: getattr(book.labels[0], key) for key in label} == label, change
        (report,) = book.warnings
        assert report.startswith("tools[0] ("), change
        assert told in report, change


def test_a_tool_without_usable_parameters_has_none() -> None:
    cases: list[Any] = [None, 5, [], {}, {"properties": None}, {"properties": []}]
    for schema in cases:
        assert of({"name": "a", "inputSchema": schema}).labels[0].fields == {}, schema


def test_parameters_are_bounded_and_cleaned() -> None:
    properties = {f"p{number}": {"description": "x\u200b"} for number in range(MAX_PARAMETERS + 1)}
    book = of({"name": "a", "inputSchema": {"properties": properties}})
    assert book.labels[0].fields["parameters"][0] == "p0: x"
    assert len(book.labels[0].fields["parameters"]) == MAX_PARAMETERS
    assert f"{MAX_PARAMETERS + 1} parameters" in book.warnings[0]


def test_a_title_that_is_the_name_again_is_no_alias() -> None:
    assert of({"name": "create_issue", "title": "Create Issue"}).labels[0].aliases == ()


def test_a_page_of_a_longer_list_is_told() -> None:
    book = PhraseBook.from_dict({"tools": [ISSUE], "nextCursor": "abc"})
    assert "one page" in book.warnings[0]


def test_a_list_without_a_usable_tool_is_refused() -> None:
    cases: list[Any] = [{"tools": []}, {"tools": None}, {"result": {"tools": {}}}, [5], {"tools": [{}]}]
    for content in cases:
        with pytest.raises(PhraseBookError, match="where has no tool that can be used"):
            PhraseBook.from_dict(content, "where")


def test_what_is_neither_a_catalog_nor_a_tool_list_is_refused() -> None:
    cases: list[Any] = [
        [],
        [{"name": "A", "phrasings": ["x"]}],
        {"label": [{"name": "A"}]},
        {"error": {"code": -32601, "message": "no tools"}},
        {"result": {}},
        "tools",
    ]
    for content in cases:
        with pytest.raises(PhraseBookError, match="where"):
            PhraseBook.from_dict(content, "where")


def test_repeated_keys_of_a_tool_list_are_not_refused(tmp_path: Any) -> None:
    path = tmp_path / "tools.json"
    path.write_text('{"tools": [{"name": "a", "name": "b"}]}', encoding="utf-8-sig")
    assert PhraseBook.from_json(path).labels[0].name == "b"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
    max_leaves=6,
)
TOOLS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text() | JSON,
        "title": st.text() | JSON,
        "description": st.text() | JSON,
        "inputSchema": JSON | st.fixed_dictionaries({"properties": st.dictionaries(st.text(), JSON) | JSON}),
    },
)


@given(st.lists(TOOLS | JSON))
def test_no_tool_stops_the_others(tools: list[Any]) -> None:
    book = of(*tools, {"name": "the last one"})
    assert any(label.id == "the last one" for label in book.labels)
    assert PhraseBook.from_dict(book.to_dict(), strict=False) == book
