"""`enrich --config`."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from server.enrichment.answers import Answer
from server.gateway.tool_catalog.examples import EXAMPLES_FILE, read_examples, write_examples
from tests.server.cli.commands import Commands
from tests.server.evals.asking import MODEL
from tests.server.gateway.made_config import TOOLS, Servers, listed, started_config
from tests.server.providers.model_server import ModelServer
from tests.server.providers.wire_shapes import Say

QUERIES = {
    "files__read_file": ["what stands in my notes", "open the report"],
    "files__delete_file": ["get rid of the old draft", "throw it away"],
    "calendar__add_event": ["remind me of lunch with Ana", "block tomorrow morning"],
}


class EnrichServers:
    """Runs `enrich --config` over servers that another stands in for."""

    def __init__(self, command: Commands, servers: Servers) -> None:
        self.command, self.servers = command, servers
        self.examples = servers.config.with_name(EXAMPLES_FILE)

    def __call__(self, *options: str) -> int:
        config = str(self.servers.config)
        return self.command("enrich", "--config", config, "--per-label", "2", "--folds", "0", *options)

    def prompts(self) -> dict[str, str]:
        """Ids of the prompts that are missing, by tool."""
        assert self("--prompts") == 0
        return {value["id"].partition("#")[0]: value["id"] for value in self.command.objects()}

    def answers(self, names: Sequence[str] = tuple(QUERIES)) -> str:
        """Return a file that answers the missing prompts of some tools."""
        path = self.examples.with_name("replies.jsonl")
        ids = self.prompts()
        path.write_bytes(b"".join(Answer(ids[name], json.dumps(QUERIES[name])).to_line() for name in names))
        return str(path)

    def kept(self) -> dict[str, list[str]]:
        """Return the examples of the tools as they are now."""
        found = read_examples([self.examples], self.servers.listed.gateway_tools)
        return {name: list(texts) for name, texts in found.items()}


@pytest.fixture
def enrich(command: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> EnrichServers:
    return EnrichServers(command, Servers(monkeypatch, tmp_path))


def test_queries_are_kept_beside_the_configuration(enrich: EnrichServers) -> None:
    assert enrich("--answers", enrich.answers()) == 0
    assert enrich.kept() == QUERIES
    assert f"{enrich.examples}: 6 queries" in enrich.command.out


def test_a_model_is_asked_once_for_each_tool(enrich: EnrichServers, model_server: ModelServer) -> None:
    assert enrich("--prompts") == 0
    for value in enrich.command.objects():
        model_server.script[value["prompt"]] = [Say(json.dumps(QUERIES[value["id"].partition("#")[0]]))]
    model = ["--model", MODEL, "--provider", "openai", "--base-url", model_server.base_url("openai")]
    assert enrich(*model) == 0
    assert enrich(*model) == 0
    assert enrich.kept() == QUERIES
    assert len(model_server.requests) == len(QUERIES)


def test_one_prompt_is_written_for_each_tool_and_none_for_near_misses(enrich: EnrichServers) -> None:
    assert list(enrich.prompts()) == list(QUERIES)


def test_only_tools_that_changed_or_are_new_are_asked_for_again(enrich: EnrichServers) -> None:
    enrich("--answers", enrich.answers())
    changed = {"read_file": "Shows a part of a file", "delete_file": TOOLS["files"]["delete_file"]}
    enrich.servers.listed = listed({"git": {"commit": "Records changes"}, **TOOLS, "files": changed})
    assert sorted(enrich.prompts()) == ["files__read_file", "git__commit"]


def test_examples_of_a_server_that_does_not_answer_stay(enrich: EnrichServers) -> None:
    enrich("--answers", enrich.answers())
    enrich.servers.listed = listed({"files": TOOLS["files"], "calendar": None})
    assert enrich("--answers", str(enrich.examples.with_name("replies.jsonl"))) == 0
    enrich.servers.listed = listed(TOOLS)
    assert enrich.kept() == QUERIES


def test_an_example_that_a_person_wrote_stays_whatever_a_model_may_write(enrich: EnrichServers) -> None:
    own = {"files__delete_file": ["delete_file", "weg damit"]}
    write_examples(enrich.examples, enrich.servers.listed.gateway_tools, own)
    enrich("--answers", enrich.answers(["files__read_file"]))
    assert enrich.kept() == own | {"files__read_file": QUERIES["files__read_file"]}


def test_tools_of_one_name_are_told_apart_in_the_report(enrich: EnrichServers) -> None:
    enrich.servers.listed = listed({"files": {"search": "Finds files"}, "web": {"search": "Finds pages"}})
    ids = enrich.prompts()
    path = enrich.examples.with_name("replies.jsonl")
    path.write_bytes(Answer(ids["web__search"], json.dumps(["look it up"])).to_line())
    assert enrich("--answers", str(path), "--json") == 1
    assert [value["label"] for value in enrich.command.objects()[:2]] == ["files__search", "web__search"]


def test_wrong_arguments_are_the_callers_mistake(command: Commands) -> None:
    cases: list[tuple[list[str], str]] = [
        (["--config", "mcp.json", "--out", "out.json"], "leave --out out"),
        (["catalog.json", "--config", "mcp.json"], "not allowed with"),
        (["--model", "m"], "one of the arguments CATALOG --config is required"),
    ]
    for arguments, told in cases:
        assert command("enrich", *arguments) == 2, arguments
        assert told in command.err, arguments


def test_a_file_of_examples_that_answers_are_read_from_is_not_written_over(enrich: EnrichServers) -> None:
    enrich.examples.write_text('{"id": "a", "text": "[]"}\n', encoding="utf-8")
    assert enrich("--answers", str(enrich.examples)) == 2
    assert "never overwritten" in enrich.command.err


@pytest.mark.processes
def test_tools_of_servers_that_are_started_are_enriched(command: Commands, tmp_path: Path) -> None:
    config = started_config(tmp_path)
    assert command("enrich", "--config", str(config), "--prompts") == 0
    (first, *_) = command.objects()
    (tmp_path / "replies.jsonl").write_bytes(Answer(first["id"], '["what stands in my notes"]').to_line())
    assert command("enrich", "--config", str(config), "--answers", str(tmp_path / "replies.jsonl"), "--folds", "0") == 1
    content = json.loads((tmp_path / EXAMPLES_FILE).read_text(encoding="utf-8"))
    ((own),) = content["tools"].values()
    assert list(own.values()) == [["what stands in my notes"]]
