"""The gateway's summary of the servers behind it."""

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


def test_it_tells_missing_servers_and_tools_and_hides_nothing() -> None:
    assert summary({"files": None, "git": None}, 400) == "2 servers: files, git. Their tools are not known yet."
    assert summary({"files": None, **of({"git": ["log"]})}, 400) == (
        "1 tool of 2 servers: files, git (1: log). Tools of 1 not known yet."
    )
    assert summary(of({"files": []}), 400) == "0 tools of 1 server: files (0)."
    assert summary({}, 400) == "No servers are configured."
    assert summary(of({"fi\u202eles\n": ["re\u200bad"]}), 400) == "1 tool of 1 server: files (1: read)."


def test_words_are_left_out_first_then_servers() -> None:
    for most in [40, 60, 150, 400]:
        lists = {f"service{number}": [f"{word}_thing" for word in ("alpha", "beta", "gamma")] for number in range(30)}
        text = summary(of(lists), most)
        assert len(CL100K.encode(text)) <= most, most
        assert text.startswith("90 tools of 30 servers: service0 (3"), most
        assert (" more." in text) == (most < 400), most
        assert ("alpha" in text) == (most == 400), most


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
