"""Tools that a phrase names exactly."""

from hypothesis import given
from hypothesis import strategies as st

from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.gateway.tool_catalog.tool_index import ExactNames
from tests.server.gateway.tool_catalog.tools import tool

TOOLS = gateway_tools(
    {
        "github": [tool("create_issue"), tool("search"), tool("getUser"), tool("list all")],
        "gitlab": [tool("create_issue"), tool("resolve-library-id"), tool("github__search")],
    }
)


def named(phrase: str) -> list[str]:
    return [found.name for found in ExactNames(TOOLS).find(phrase)]


def test_a_phrase_that_is_a_name_names_all_tools_of_that_name() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("search", ["github__search"]),
        (" getUser ", ["github__getUser"]),
        ("`search`", ["github__search"]),
        ("list all", ["github__list_all"]),
        ("github__create_issue", ["github__create_issue"]),
        ("create_issue", ["github__create_issue", "gitlab__create_issue"]),
        ("github create issue", ["github__create_issue"]),
        ("GitHub/create_issue", ["github__create_issue"]),
        ("gitlab: create issue", ["gitlab__create_issue"]),
    ]
    for phrase, names in cases:
        assert named(phrase) == names, phrase


def test_a_name_within_a_sentence_counts_where_it_can_only_be_a_name() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("please run github__create_issue for me", ["github__create_issue"]),
        ("use create_issue.", ["github__create_issue", "gitlab__create_issue"]),
        ("call getUser(42)", ["github__getUser"]),
        ("then **resolve-library-id**, quickly", ["gitlab__resolve-library-id"]),
        ('run the tool "search" now', ["github__search"]),
        ("run the tool 'search' now", ["github__search"]),
        ("run `list all` now", ["github__list_all"]),
        ("first getUser and then resolve-library-id", ["github__getUser", "gitlab__resolve-library-id"]),
    ]
    for phrase, names in cases:
        assert named(phrase) == names, phrase


def test_ordinary_words_name_no_tool() -> None:
    cases = [
        "search the web for cats",
        "don't search, it's late",
        "list all files",
        "create issue about create_issues",
        "recreate_issue",
        "a user's search's end",
        "",
        " ",
        "getuser",
    ]
    for phrase in cases:
        assert named(phrase) == [], phrase


def test_a_full_name_goes_before_the_bare_name_of_another_servers_tool() -> None:
    assert named("github__search") == ["github__search"]
    assert named("please use github__search") == ["github__search"]


@given(st.text())
def test_a_marked_name_is_found_in_any_phrase(phrase: str) -> None:
    assert "github__create_issue" in named(f"{phrase} github__create_issue {phrase}"[-4_000:])
