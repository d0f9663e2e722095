"""Sets of tools are read with their requests, and made upstreams serve them."""

import json
from pathlib import Path

import pytest

from benchmarks.gateway import AGENT_NEEDS
from benchmarks.gateways.tool_set import ToolRequest, ToolSet, own_servers, slug, toolalpaca
from benchmarks.gateways.upstream import NO_METHOD, answer
from benchmarks.labelled_data import read_rows
from server.matching.known_tools import known_tools

LOG = {"name": "log", "description": "Shows commits.", "inputSchema": {"type": "object"}}
API = {
    "Name": "Améthyste Bot",
    "Function_Description": {
        "draw": 'Draws.\nParameters: {"n": "Required. integer. How many.", "style": "A style."}\nOutput: An image.',
        "components": "",
    },
    "Instructions": ["Draw three cats.", "Sing."],
    "Golden_Answers": [[{"Action": "draw"}], [{"Action": "sing"}]],
}


def own(folder: Path, *named: str) -> ToolSet:
    tools, requests = folder / "tools.json", folder / "requests.jsonl"
    tools.write_text(json.dumps({"git": {"tools": [LOG]}, "files": {"tools": []}}), encoding="utf-8")
    requests.write_text(json.dumps({"request": "what happened", "tools": named}), encoding="utf-8")
    return own_servers("servers", tools, requests)


def alpaca(folder: Path) -> ToolSet:
    (folder / "data").mkdir()
    (folder / "data" / "eval_simulated.json").write_text(json.dumps([API]), encoding="utf-8")
    (folder / "data" / "eval_real.json").write_text("[]", encoding="utf-8")
    clinc = folder / "clinc.json"
    clinc.write_text(json.dumps({"test": [["call me a cab", "uber"], ["hello", "greeting"]]}), encoding="utf-8")
    return toolalpaca(folder, clinc)


def test_requests_name_the_tools_of_servers_and_no_others(tmp_path: Path) -> None:
    assert own(tmp_path, "git/log").requests == (ToolRequest("what happened", frozenset({("git", "log")})),)
    with pytest.raises(ValueError, match="blame"):
        own(tmp_path, "git/blame")


def test_needs_of_agents_differ_and_name_tools_that_are_known() -> None:
    rows = read_rows(AGENT_NEEDS)
    assert len({row["request"].casefold() for row in rows}) == len(rows)
    assert {tool.partition("/")[2] for row in rows for tool in row["tools"]} <= set(known_tools())


def test_the_first_servers_keep_their_requests_and_those_that_none_serves() -> None:
    none, log = ToolRequest("sing", frozenset()), ToolRequest("history", frozenset({("git", "log")}))
    read = ToolRequest("read", frozenset({("files", "read")}))
    tools = ToolSet("made", {"git": {"tools": [LOG]}, "files": {"tools": []}}, (log, read, none))
    assert tools.first(1).requests == (log, none)
    assert list(tools.first(1).servers) == ["git"]


def test_each_api_of_toolalpaca_is_a_server_with_typed_parameters(tmp_path: Path) -> None:
    (tool,) = alpaca(tmp_path).servers["amethyste_bot"]["tools"]
    assert (tool["name"], tool["description"]) == ("draw", "Draws.")
    assert {key: value["type"] for key, value in tool["inputSchema"]["properties"].items()} == {
        "n": "integer",
        "style": "string",
    }


def test_requests_of_toolalpaca_for_unknown_tools_are_left_out_and_those_of_clinc_have_none(tmp_path: Path) -> None:
    served = ToolRequest("Draw three cats.", frozenset({("amethyste_bot", "draw")}))
    assert alpaca(tmp_path).requests == (served, ToolRequest("call me a cab", frozenset()))


def test_a_servers_name_keeps_letters_digits_and_single_underscores() -> None:
    assert slug("A Bíblia -- Digital!") == "a_biblia_digital"


def test_a_configuration_starts_one_made_upstream_for_each_server(tmp_path: Path) -> None:
    config = json.loads(own(tmp_path).write(tmp_path, ["python", "upstream.py"]).read_text(encoding="utf-8"))
    assert config["mcpServers"]["git"]["args"][-2:] == ["--server", "git"]
    assert list(config["mcpServers"]) == ["git", "files"]


def test_a_made_upstream_lists_its_tools_answers_calls_and_refuses_other_methods() -> None:
    assert answer({"method": "tools/list"}, [LOG], "git") == {"result": {"tools": [LOG]}}
    called = answer({"method": "tools/call", "params": {"name": "log", "arguments": {"n": 1}}}, [LOG], "git")
    assert called["result"]["content"] == [{"type": "text", "text": '{"n": 1}'}]
    assert answer({"method": "server/discover"}, [], "git")["error"]["code"] == NO_METHOD
