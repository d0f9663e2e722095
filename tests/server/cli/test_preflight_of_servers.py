"""`preflight --config`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from embeddings.labels.tool_list import ToolLists
from embeddings.preflight.finding import Report
from embeddings.preflight.reading import read
from server.gateway.tool_catalog.examples import EXAMPLES_FILE, write_examples
from server.matching.encoders import EncoderLoader
from tests.embeddings.preflight.judging import LimitedToyEncoder
from tests.server.cli.commands import Commands
from tests.server.gateway.made_config import TOOLS, Servers, listed, started_config


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Servers:
    return Servers(monkeypatch, tmp_path)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[ToolLists]:
    found: list[ToolLists] = []

    def judge(content: Any, _: Callable[[int, int], None], __: EncoderLoader) -> Report:
        found.append(content)
        return Report((), 3, 3)

    monkeypatch.setattr("server.cli.preflight.judge", judge)
    return found


def test_the_tools_of_all_servers_are_judged_by_server_and_name(
    run: Commands, servers: Servers, judged: list[ToolLists]
) -> None:
    assert run("preflight", "--config", str(servers.config)) == 0
    assert [entry.called for entry in read(judged[0]).entries] == [
        "files/read_file",
        "files/delete_file",
        "calendar/add_event",
    ]
    assert run.err == ""


def test_findings_name_the_servers_of_their_tools(
    run: Commands, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embeddings.encoder.encoder.Encoder.load", lambda *_, **__: LimitedToyEncoder())
    servers.listed = listed({"files": {"search": "Finds files"}, "web": {"search": "Finds pages"}})
    assert run("preflight", "--config", str(servers.config), "--json") == 1
    (value,) = run.objects()
    duplicates = [(each["label"], each["other"]) for each in value["findings"] if each["rule"] == "duplicate"]
    assert duplicates == [("files/search", "web/search"), ("web/search", "files/search")]


def test_a_server_that_does_not_answer_is_told_and_the_rest_is_judged(
    run: Commands, servers: Servers, judged: list[ToolLists]
) -> None:
    servers.listed = listed({**TOOLS, "broken": None}, ["server 'broken' is down (gone); its tools are missing; look"])
    assert run("preflight", "--config", str(servers.config)) == 0
    assert run.err == "server 'broken' is down (gone); its tools are missing; look\n"
    assert list(judged[0].by_server) == ["files", "calendar"]


def test_without_a_tool_there_is_nothing_to_judge(run: Commands, servers: Servers, judged: list[ToolLists]) -> None:
    cases: list[dict[str, dict[str, str] | None]] = [{"files": None}, {"files": {}}]
    for tools in cases:
        servers.listed = listed(tools)
        assert run("preflight", "--config", str(servers.config)) == 2, tools
        assert "no server of" in run.err, tools
        assert judged == [], tools


def test_examples_beside_the_configuration_count_as_phrasings(
    run: Commands, servers: Servers, judged: list[ToolLists], tmp_path: Path
) -> None:
    tools = servers.listed.gateway_tools
    write_examples(tmp_path / EXAMPLES_FILE, tools, {"files__delete_file": ["get rid of it"]})
    run("preflight", "--config", str(servers.config))
    phrasings = {entry.called: entry.label.phrasings for entry in read(judged[0]).entries}
    assert phrasings == {"files/read_file": (), "files/delete_file": ("get rid of it",), "calendar/add_event": ()}


def test_examples_for_another_description_do_not_count(
    run: Commands, servers: Servers, judged: list[ToolLists], tmp_path: Path
) -> None:
    before = listed({"files": {"delete_file": "Moves a file to the bin"}}).gateway_tools
    write_examples(tmp_path / EXAMPLES_FILE, before, {"files__delete_file": ["get rid of it"]})
    run("preflight", "--config", str(servers.config))
    assert judged[0].examples == {}


@pytest.mark.parametrize("names", [("tools", "labels"), ("result", "outOfScope")])
def test_a_server_may_be_called_like_a_key_of_a_catalog(
    run: Commands, servers: Servers, judged: list[ToolLists], names: tuple[str, str]
) -> None:
    servers.listed = listed({name: {"read": "Reads"} for name in names})
    run("preflight", "--config", str(servers.config))
    assert [entry.called for entry in read(judged[0]).entries] == [f"{name}/read" for name in names]


def test_a_configuration_stands_in_the_place_of_a_catalog_and_is_not_written_over(
    run: Commands, servers: Servers, judged: list[ToolLists]
) -> None:
    for option in ["--catalog", "--data"]:
        assert run("preflight", "--config", str(servers.config), option, "a.json") == 2, option
        assert "not allowed with" in run.err, option
    assert run("preflight", "--config", str(servers.config), "--out", str(servers.config)) == 2
    assert "never overwritten" in run.err
    assert judged == []


@pytest.mark.processes
def test_servers_are_started_once_and_judged(run: Commands, judged: list[ToolLists], tmp_path: Path) -> None:
    config = started_config(tmp_path, broken={"command": str(tmp_path / "none")})
    assert run("preflight", "--config", str(config)) == 0
    assert sorted(judged[0].by_server) == ["calendar", "files"]
    assert sorted((tmp_path / "starts").read_text().split()) == ["calendar.json", "files.json"]
    assert run.err.count("'broken'") == 1


@pytest.mark.processes
def test_the_gateways_catalog_is_printed_as_tools_list_answers_it(run: Commands, tmp_path: Path) -> None:
    assert run("gateway", "catalog", "--config", str(started_config(tmp_path))) == 0
    assert [tool["name"] for tool in json.loads(run.out)["files"]["tools"]] == ["read_file", "delete_file"]
