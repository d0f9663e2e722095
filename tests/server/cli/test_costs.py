"""The options for the costs behind decisions."""

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.cli.main import parser
from server.cli.options import chosen_costs
from server.matching.origins import AgentsFolder
from server.matching.phrase_service import LiveService
from server.matching.reload import Reloader
from server.matching.service import Service, open_service
from tests.server.cli.commands import Commands
from tests.toy import BOOK, ToyEncoder

PHRASE = "undo and see"
BOLD = ["--cost-wrong", "0.5"]
COMMANDS = [["match", PHRASE], ["serve"], ["eval", "matcher", "queries.jsonl"]]


@pytest.fixture(params=["data", "catalog", "vectors"])
def origin(request: pytest.FixtureRequest, run: Commands, toy_data: Path, tmp_path: Path) -> list[str]:
    """Each way to say what is matched against."""
    if request.param == "data":
        return ["--data", str(toy_data)]
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    if request.param == "catalog":
        return ["--catalog", str(catalog)]
    assert run("build-vectors", "--catalog", str(catalog)) == 0
    return ["--vectors", str(catalog.with_suffix(".npz"))]


def decision(run: Commands, *arguments: str) -> Any:
    assert run("match", PHRASE, "--json", *arguments) == 0
    return run.objects()[0]["decision"]


def test_a_cheap_wrong_answer_resolves_an_ambiguous_phrase(run: Commands, origin: list[str]) -> None:
    assert [decision(run, *origin), decision(run, *origin, *BOLD)] == ["ambiguous", "resolved"]


def test_costs_hold_for_cached_vectors_too(run: Commands, tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    arguments = ["--catalog", str(tmp_path / "catalog.json"), *BOLD]
    assert [decision(run, *arguments) for _ in range(2)] == ["resolved"] * 2


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_without_options_the_costs_are_the_usual_ones(command: list[str]) -> None:
    assert chosen_costs(parser().parse_args(command)) == DEFAULT_COSTS


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_each_option_sets_its_cost(command: list[str]) -> None:
    given = ["--cost-wrong", "5", "--cost-candidates", "0", "--cost-useless", "1.5", "--cost-missed", "1e2"]
    given += ["--cost-unfounded", "7"]
    assert astuple(chosen_costs(parser().parse_args([*command, *given]))) == (5, 0, 1.5, 100, 7)


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "dear", "", "1,5"])
@pytest.mark.parametrize("name", ["wrong", "candidates", "useless", "missed", "unfounded"])
def test_what_is_no_cost_is_wrong_usage(run: Commands, name: str, value: str) -> None:
    assert run("match", "x", f"--cost-{name}={value}") == 2
    assert f"--cost-{name}: {value!r} is not a finite number of 0 or more" in run.err


def test_a_reloaded_catalog_keeps_the_costs(toy_data: Path) -> None:
    service = open_service(toy_data, lambda threads: ToyEncoder(), costs=Costs(wrong=0.5))
    service.matchers.load()
    live = LiveService(service)
    assert Reloader(live, AgentsFolder(toy_data, Costs(wrong=0.5))).reload()
    assert live.current is not service
    assert live.current.match(PHRASE).decision == "resolved"


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_decides_by_its_costs(
    run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    opened: list[Service] = []

    def remember(*arguments: Any, **named: Any) -> Service:
        opened.append(open_service(*arguments, **named))
        return opened[-1]

    monkeypatch.setattr("server.matching.origins.open_service", remember)
    monkeypatch.setattr("server.protocol.stdio.run_stdio", lambda server: None)
    monkeypatch.setattr("server.cli.serve_http.run_here", lambda *_: None)
    assert run("serve", "--transport", transport, "--data", str(toy_data), *BOLD) == 0
    opened[0].matchers.load()
    assert opened[0].match(PHRASE).decision == "resolved"


def test_a_degraded_service_decides_by_the_costs(
    toy_data: Path, run: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    from embeddings.encoder.encoder import Encoder
    from embeddings.errors import ModelError

    def load(folder: object = None, threads: int = 1, split: int = 1) -> Encoder:
        raise ModelError("no model here")

    monkeypatch.setattr(Encoder, "load", load)
    phrase = "how much does the service cost"
    found = []
    for more in ([], ["--cost-missed", "1000000"]):
        assert run("match", phrase, "--json", "--data", str(toy_data), *more) == 0
        found.append(run.objects()[0]["decision"])
    assert found == ["no_match", "ambiguous"]
