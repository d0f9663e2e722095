"""What the searches for tools share."""

import pytest

from agent_capabilities.integrations.tool_search import FoundTools, ToolSearch
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.agent_capabilities.integrations.tools import NEEDS, listed


@pytest.fixture(scope="module")
def search() -> ToolSearch:
    return ToolSearch(most=3)


def test_the_tool_that_serves_a_need_is_first_and_none_is_found_where_none_does(search: ToolSearch) -> None:
    for need, name in NEEDS.items():
        found = search.find(listed(), need)
        assert (found.names[:1] or (None,))[0] == name, need
        assert (found.decision == "no_match") == (name is None), need
        assert len(found.names) <= 3
        assert found.hint


def test_a_list_is_embedded_once_and_again_if_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[PhraseBook] = []
    build = Matcher.build

    def count(book: PhraseBook, *others: object, **named: object) -> Matcher:
        built.append(book)
        return build(book, *others, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Matcher, "build", count)
    search = ToolSearch()
    for tools in (listed(), listed(), listed()[:2], listed()):
        search.find(tools, "write down a bug")
    assert [len(book.labels) for book in built] == [4, 2]


def test_a_known_tool_is_found_by_the_examples_that_ship_for_it() -> None:
    described = "Shows the working tree status"
    tools = [*listed(), {"name": "repo_git_status", "description": described, "inputSchema": {"type": "object"}}]
    need = "is my working copy clean"
    assert ToolSearch().find(tools, need) == FoundTools("resolved", ("repo_git_status",))
    assert ToolSearch(known_tools=False).find(tools, need).decision == "ambiguous"
    assert ToolSearch().find(tools, "is there anything left to stage").names[0] == "repo_git_status"


def test_without_tools_or_words_nothing_is_found(search: ToolSearch) -> None:
    assert search.find([], "write down a bug").decision == "no_match"
    assert search.find(listed(), "  ").names == ()


def test_a_search_for_no_tools_is_refused() -> None:
    with pytest.raises(ValueError, match="most is 0"):
        ToolSearch(most=0)
