"""Tools of the gateway as labels."""

import pytest

from embeddings.errors import PhraseBookError
from embeddings.matcher import Matcher
from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.gateway.tool_catalog.tool_book import tool_book
from tests.server.gateway.tool_catalog.tools import offered, tool


def test_a_tool_is_a_label_under_its_full_name_with_its_server_among_its_words() -> None:
    issue = tool(
        "create_issue",
        "Opens an issue.",
        title="New issue",
        inputSchema={"properties": {"body": {"description": "what happened"}}},
    )
    (label,) = tool_book(gateway_tools({"git hub": [issue]}), {}).labels
    assert (label.name, label.id, label.aliases) == ("create_issue", "git_hub__create_issue", ("New issue",))
    assert label.description == "Opens an issue."
    assert label.fields == {"parameters": ("body: what happened",), "server": ("git hub",)}


def test_examples_are_phrasings_that_a_language_model_wrote() -> None:
    tools = offered(read="Reads.", write="Writes.")
    read, write = tool_book(tools, {"files__read": ["show me the file"], "files__gone": ["x"]}).labels
    assert (read.phrasings, read.generated) == (("show me the file",), frozenset({"show me the file"}))
    assert write.phrasings == ()


def test_a_title_of_the_annotations_counts_where_there_is_no_other() -> None:
    tools = gateway_tools({"files": [tool("read", annotations={"title": "Open a document"})]})
    assert tool_book(tools, {}).labels[0].aliases == ("Open a document",)


def test_a_tool_without_a_visible_name_has_the_gateways() -> None:
    for own in ["", " \u200b"]:
        tools = gateway_tools({"files": [tool(own)]})
        book = tool_book(tools, {})
        assert (book.labels[0].id, book.reports) == (tools[0].name, ()), own
        assert book.labels[0].name == tools[0].name.removeprefix("files__"), own


def test_parameters_that_are_not_read_are_told() -> None:
    many = tool("read", inputSchema={"properties": {f"p{number}": {} for number in range(101)}})
    assert "has 101 parameters" in tool_book(gateway_tools({"files": [many]}), {}).reports[0]


def test_tools_of_one_name_are_told_apart_by_the_server_that_a_phrase_names() -> None:
    tools = gateway_tools({"github": [tool("create_issue")], "gitlab": [tool("create_issue")]})
    matcher = Matcher.degraded(tool_book(tools, {}))
    assert matcher.match("create issue").decision == "ambiguous"
    assert [matcher.match(f"{server} create issue").matches[0].id for server in ("github", "gitlab")] == [
        "github__create_issue",
        "gitlab__create_issue",
    ]


def test_no_tools_are_no_catalog() -> None:
    with pytest.raises(PhraseBookError, match="has no labels"):
        tool_book((), {})
