"""What the gateway says lies behind it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe import openai

from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools
from server.gateway.tool_catalog.summary import summary
from tests.server.gateway.tool_catalog.tools import tool

CL100K = openai.cl100k_base()

LISTS = {
    "files": ["read_file", "write_file", "list_directory", "search_files", "directory_tree"],
    "git": ["git_commit", "git_branch", "git_diff", "git_log"],
    "calendar": ["createEvent", "listEvents", "deleteEvent"],
}


def of(lists: dict[str, list[str]]) -> dict[str, tuple[GatewayTool, ...] | None]:
    tools = gateway_tools({server: [tool(name) for name in names] for server, names in lists.items()})
    return {server: tuple(found for found in tools if found.server == server) for server in lists}


def test_it_says_how_many_tools_which_servers_have_and_what_for() -> None:
    assert summary(of(LISTS), 400) == (
        "12 tools of 3 servers: files (5: file, directory, tree, read, write, list, search), "
        "git (4: commit, branch, diff, log), calendar (3: event, create, list, delete)."
    )


def test_servers_whose_tools_are_not_known_are_named() -> None:
    assert summary({"files": None, "git": None}, 400) == "2 servers: files, git. Their tools are not known yet."
    assert summary({"files": None, **of({"git": ["log"]})}, 400) == (
        "1 tool of 2 servers: files, git (1: log). Tools of 1 not known yet."
    )


def test_a_server_without_tools_has_none() -> None:
    assert summary(of({"files": []}), 400) == "0 tools of 1 server: files (0)."


def test_without_servers_it_says_so() -> None:
    assert summary({}, 400) == "No servers are configured."


@pytest.mark.parametrize("most", [40, 60, 150, 400])
def test_words_are_left_out_first_then_servers(most: int) -> None:
    lists = {f"service{number}": [f"{word}_thing" for word in ("alpha", "beta", "gamma")] for number in range(30)}
    text = summary(of(lists), most)
    assert len(CL100K.encode(text)) <= most
    assert text.startswith("90 tools of 30 servers: service0 (3")
    assert (" more." in text) == (most < 400)
    assert ("alpha" in text) == (most == 400)


SERVERS = st.text("abcdefghijklmnopqrstuvwxyz-_ .09", max_size=50) | st.text(max_size=50)


@given(
    st.dictionaries(SERVERS, st.lists(SERVERS, max_size=8) | st.none(), max_size=40), st.sampled_from([40, 150, 400])
)
def test_it_keeps_to_the_budget_whatever_servers_and_tools_are_called(
    lists: dict[str, list[str] | None], most: int
) -> None:
    known = of({server: names for server, names in lists.items() if names is not None})
    text = summary({server: known.get(server) for server in lists}, most)
    assert len(CL100K.encode(text)) <= most


def test_names_hide_nothing() -> None:
    assert summary(of({"fi\u202eles\n": ["re\u200bad"]}), 400) == "1 tool of 1 server: files (1: read)."
