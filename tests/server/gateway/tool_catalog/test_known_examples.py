"""Examples of known tools in a gateway, and adding to them."""

import json
from pathlib import Path

import pytest

from embeddings.ranking.decision import DEFAULT_COSTS, NAMED_COSTS
from server.errors import CallerError
from server.gateway.tool_catalog.examples import known_examples, write_known_tools
from server.gateway.tool_catalog.matcher_builder import costs_for
from server.gateway.tool_catalog.tool_book import tool_book
from server.matching.known_tools import ASKED_IN_VAIN, KNOWN_TOOLS_FILE, said
from tests.server.gateway.tool_catalog.tools import offered
from tests.server.known_tools import EXAMPLES, STATUS


@pytest.mark.usefixtures("one_known")
def test_a_recognised_tool_has_its_examples_whatever_its_server_is_called() -> None:
    tools = offered("my-repo", git_status=STATUS, git_log="Shows commits")
    assert known_examples(tools) == {"my-repo__git_status": EXAMPLES}


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
