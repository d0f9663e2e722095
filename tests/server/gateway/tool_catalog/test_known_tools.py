"""Examples for the tools of widely used servers."""

import json
from pathlib import Path

import pytest

from embeddings.ranking.decision import DEFAULT_COSTS, NAMED_COSTS
from server.errors import CallerError
from server.gateway.tool_catalog.known_tools import (
    KNOWN_TOOLS_FILE,
    KnownTool,
    known_examples,
    recognised,
    said,
    write_known_tools,
)
from server.gateway.tool_catalog.matcher_builder import costs_for
from server.gateway.tool_catalog.tool_book import ASKED_IN_VAIN, tool_book
from server.paths import shipped_data
from tests.server.gateway.tool_catalog.tools import offered

STATUS = "Shows the working tree status of a repository"
EXAMPLES = ("what have I changed", "is anything modified")


@pytest.fixture
def one_known(monkeypatch: pytest.MonkeyPatch) -> None:
    words = frozenset(said(STATUS)[start : start + 4] for start in range(0, len(said(STATUS)), 4))
    known = {"git_status": [KnownTool("mcp-server-git", words, EXAMPLES)]}
    monkeypatch.setattr("server.gateway.tool_catalog.known_tools.known_tools", lambda: known)


@pytest.mark.usefixtures("one_known")
@pytest.mark.parametrize(
    ("name", "description", "is_known"),
    [
        ("git_status", STATUS, True),
        ("git_status", f"{STATUS}. Use it before a commit, for example with all options.", True),
        ("git_status", "Working tree status", True),
        ("git_status", "Shows whether the build server is idle", False),
        ("git_status", "", False),
        ("status", STATUS, False),
    ],
)
def test_a_tool_is_recognised_by_its_name_and_most_words_of_its_description(
    name: str, description: str, is_known: bool
) -> None:
    assert (recognised(name, description) is not None) == is_known


@pytest.mark.usefixtures("one_known")
def test_a_recognised_tool_has_its_examples_whatever_its_server_is_called() -> None:
    tools = offered("my-repo", git_status=STATUS, git_log="Shows commits")
    assert known_examples(tools) == {"my-repo__git_status": EXAMPLES}


def test_of_two_known_tools_of_one_name_the_one_whose_description_is_nearer_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    near, far = (
        KnownTool(server, frozenset(said(text)[start : start + 4] for start in range(0, len(said(text)), 4)), ())
        for server, text in (("near", "finds pages of the web by words"), ("far", "finds pages"))
    )
    known = {"search": [far, near]}
    monkeypatch.setattr("server.gateway.tool_catalog.known_tools.known_tools", lambda: known)
    found = recognised("search", "pages of the web by words")
    assert found is not None
    assert found.server == "near"


def test_where_tools_have_examples_a_third_of_the_needs_is_taken_to_be_asked_in_vain() -> None:
    tools = offered(git_status=STATUS)
    bare, known = tool_book(tools, {}), tool_book(tools, {tools[0].name: EXAMPLES})
    assert (bare.out_of_scope_share, known.out_of_scope_share) == (None, ASKED_IN_VAIN)
    offer = NAMED_COSTS["offer"]
    assert (costs_for(bare, offer), costs_for(known, offer)) == (offer, DEFAULT_COSTS)


def test_tools_are_added_to_a_file_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / KNOWN_TOOLS_FILE
    write_known_tools(path, offered("git", git_status=STATUS, git_log="Shows commits"), {"git__git_status": EXAMPLES})
    write_known_tools(path, offered("time", now="Tells the time"), {"time__now": ["how late is it"]})
    servers = json.loads(path.read_text(encoding="utf-8"))["servers"]
    assert servers == {
        "git": {"git_status": {"said": said(STATUS), "examples": list(EXAMPLES)}},
        "time": {"now": {"said": said("Tells the time"), "examples": ["how late is it"]}},
    }


@pytest.mark.parametrize("content", ["[", "[]", "{}", '{"servers": 3}'])
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / KNOWN_TOOLS_FILE
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CallerError, match="file of known tools"):
        write_known_tools(path, offered("time", now="Tells the time"), {"time__now": ["how late is it"]})


def test_each_shipped_tool_has_eight_examples_that_no_other_tool_of_its_server_has() -> None:
    servers = json.loads((shipped_data() / KNOWN_TOOLS_FILE).read_text(encoding="utf-8"))["servers"]
    assert list(servers) == sorted(servers)
    for server, tools in servers.items():
        texts = [text.casefold() for tool in tools.values() for text in tool["examples"]]
        assert len(texts) == len(set(texts)) == 8 * len(tools), server
        assert all(text == text.strip() and text.isprintable() for text in texts), server
