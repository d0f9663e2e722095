"""The option for the costs behind decisions."""

import json
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any

import pytest

from embeddings.ranking.decision import DEFAULT_COSTS, NAMED_COSTS, Costs
from server.cli.main import parser
from server.cli.options import chosen_costs
from server.matching.label_service import LiveService
from server.matching.origins import AgentsFolder
from server.matching.reload import Reloader
from server.matching.service import Service, open_service
from tests.server.cli.commands import Commands
from tests.toy import BOOK, ToyEncoder

PHRASE = "undo and see"
BOLD = ["--costs", "wrong=0.5"]
NAMES = [field.name for field in fields(Costs)]
COMMANDS = [["match", PHRASE], ["serve"], ["eval", "matcher", "queries.jsonl"]]


def origins(run: Commands, toy_data: Path, tmp_path: Path) -> list[list[str]]:
    """Each way to say what is matched against."""
    catalog = tmp_path / "catalog.json"
    built = tmp_path / "built" / "catalog.json"
    built.parent.mkdir()
    for path in (catalog, built):
        path.write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    assert run("build-vectors", "--catalog", str(built)) == 0
    return [
        ["--data", str(toy_data)],
        ["--catalog", str(catalog)],
        ["--vectors", str(built.with_suffix(".npz"))],
    ]


def decision(run: Commands, *arguments: str) -> Any:
    assert run("match", PHRASE, "--json", *arguments) == 0
    return run.objects()[0]["decision"]


def test_a_cheap_wrong_answer_resolves_an_ambiguous_phrase(run: Commands, toy_data: Path, tmp_path: Path) -> None:
    for origin in origins(run, toy_data, tmp_path):
        decisions = [decision(run, *origin), decision(run, *origin, *BOLD)]
        assert decisions == ["ambiguous", "resolved"], origin


def test_costs_hold_for_cached_vectors_too(run: Commands, tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    arguments = ["--catalog", str(tmp_path / "catalog.json"), *BOLD]
    assert [decision(run, *arguments) for _ in range(2)] == ["resolved"] * 2


def test_each_name_sets_its_cost_and_others_keep_their_defaults() -> None:
    for command in COMMANDS:
        assert chosen_costs(parser().parse_args(command)) == DEFAULT_COSTS, command
    for command in COMMANDS:
        given = ["--costs", "wrong=5,candidates=0, useless=1.5,missed=1e2,unfounded=7"]
        assert astuple(chosen_costs(parser().parse_args([*command, *given]))) == (5, 0, 1.5, 100, 7), command
    assert chosen_costs(parser().parse_args(["match", "--costs", "missed=4"])) == Costs(missed=4)


def test_what_is_no_cost_or_no_name_of_one_is_wrong_usage(run: Commands) -> None:
    for value in ["-1", "nan", "inf", "dear", ""]:
        for name in NAMES:
            assert run("match", "x", f"--costs={name}={value}") == 2, (value, name)
            problem = f"--costs: {name}={value!r} is not a finite number of 0 or more"
            assert f"{problem}; known: {', '.join(NAMES)}" in run.err, (value, name)
    cases = [
        ("dear=1", "'dear' is not the name of a cost"),
        ("wrong=1,5", "'5' is not the name of a cost"),
        ("", "'' is not the name of a cost"),
        ("wrong=1,", "'' is not the name of a cost"),
        ("wrong=1,wrong=2", "'wrong' is given twice"),
    ]
    for given, problem in cases:
        assert run("match", "x", f"--costs={given}") == 2, given
        assert f"{problem}; known: {', '.join(NAMES)}" in run.err, given


def test_the_help_says_the_defaults(run: Commands) -> None:
    assert run("match", "--help") == 0
    shown = " ".join(run.out.split())
    for name, cost in zip(NAMES, astuple(DEFAULT_COSTS), strict=True):
        assert f"(default: {cost:g})" in shown[shown.index(f"{name}: ") :]


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
    for more in ([], ["--costs", "missed=1000000"]):
        assert run("match", phrase, "--json", "--data", str(toy_data), *more) == 0
        found.append(run.objects()[0]["decision"])
    assert found == ["no_match", "ambiguous"]


def test_costs_are_named_by_what_answers_are_for(run: Commands) -> None:
    for name, costs in NAMED_COSTS.items():
        assert chosen_costs(parser().parse_args(["match", "--costs", name])) == costs, name
    mixed = chosen_costs(parser().parse_args(["match", "--costs", "routing,wrong=6"]))
    assert mixed == replace(NAMED_COSTS["routing"], wrong=6)
    assert run("match", "x", "--costs", "router") == 2
    assert f"what the answers are for: {', '.join(NAMED_COSTS)}" in run.err
