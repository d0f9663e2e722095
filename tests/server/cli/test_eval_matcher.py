import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from embeddings.matcher import Matcher
from tests.server.cli.commands import Commands
from tests.toy import BOOK, ToyEncoder

QUERIES: list[dict[str, Any]] = [
    {"query": "rewind back", "gold": ["Checkpoints"], "stratum": "served"},
    {"query": "undo and see", "gold": ["Checkpoints"], "stratum": "served"},
    {"query": "how much does the service cost", "gold": ["Vision"], "stratum": "served"},
    {"query": "is the service down now", "gold": [], "stratum": "unserved"},
    {"query": "plug outside", "gold": [], "stratum": "unserved"},
]
NONE: dict[str, int] = dict.fromkeys(
    ("resolvedRight", "resolvedWrong", "ambiguousRight", "ambiguousWrong", "noMatchRight", "noMatchWrong"), 0
)


@pytest.fixture
def queries(tmp_path: Path) -> str:
    path = tmp_path / "queries.jsonl"
    path.write_text("\n".join(map(json.dumps, QUERIES)), encoding="utf-8")
    return str(path)


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    return str(path)


def test_decisions_are_counted_by_stratum(run: Commands, queries: str, catalog: str) -> None:
    assert run("eval", "matcher", queries, "--catalog", catalog, "--json") == 0
    (found,) = run.objects()
    served = NONE | {"resolvedRight": 1, "ambiguousRight": 1, "noMatchWrong": 1}
    unserved = NONE | {"noMatchRight": 1, "resolvedWrong": 1}
    assert {kind: part["decisions"] for kind, part in found["strata"].items()} == {
        "served": served,
        "unserved": unserved,
    }
    assert found["decisions"] == {kind: served[kind] + unserved[kind] for kind in NONE}


def test_a_served_phrase_that_got_no_match_shows_in_the_text(
    run: Commands, queries: str, catalog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert run("eval", "matcher", queries, "--catalog", catalog) == 0
    lines = [line.split() for line in run.out.splitlines()]
    assert next(line for line in lines if line[:1] == ["falseNoMatch"])[1] == "0.333"
    head = lines.index(["stratum", *NONE])
    assert lines[head + 1 : head + 4] == [
        ["served", "1", "0", "1", "0", "0", "1"],
        ["unserved", "0", "1", "0", "0", "1", "0"],
        ["(together)", "1", "1", "1", "0", "1", "1"],
    ]


def test_costs_move_decisions_from_one_column_to_another(run: Commands, queries: str, catalog: str) -> None:
    assert run("eval", "matcher", queries, "--catalog", catalog, "--json", "--costs", "wrong=0.5") == 0
    served = run.objects()[0]["strata"]["served"]["decisions"]
    assert served == NONE | {"resolvedRight": 2, "noMatchWrong": 1}


def test_an_updated_matcher_is_measured_as_approximate(run: Commands, queries: str, tmp_path: Path) -> None:
    built = Matcher.build(replace(BOOK, out_of_scope=()), ToyEncoder())
    for matcher, name in ((built, "built.npz"), (built.update(BOOK), "updated.npz")):
        matcher.save(tmp_path / name)
        assert run("eval", "matcher", queries, "--vectors", str(tmp_path / name), "--json") == 0
        assert run.objects()[0].get("approximate", False) is matcher.is_approximate
        assert run("eval", "matcher", queries, "--vectors", str(tmp_path / name)) == 0
        assert ("approximate: the catalog was updated" in run.out) is matcher.is_approximate


def test_a_file_that_cannot_be_measured_is_the_callers_mistake(run: Commands, catalog: str, tmp_path: Path) -> None:
    cases = [
        ("", "holds no queries"),
        ("{", "line 1"),
        ('{"query": "x"}', "'query' and 'gold'"),
        ('{"query": " ", "gold": []}', "'query' must be a phrase"),
        ('{"query": "x", "gold": ["Nobody"]}', "gold labels that the catalog lacks: Nobody"),
    ]
    for lines, told in cases:
        path = tmp_path / "wrong.jsonl"
        path.write_text(lines, encoding="utf-8")
        assert run("eval", "matcher", str(path), "--catalog", catalog) == 2, lines
        assert told in run.err, lines


def test_what_other_costs_would_have_decided_is_told(run: Commands, queries: str, catalog: str) -> None:
    assert run("eval", "matcher", queries, "--catalog", catalog, "--json") == 0
    (found,) = run.objects()
    assert set(found["withCosts"]) == {"careful", "routing", "offer"}
    assert found["withCosts"]["careful"] == found["decisions"]
    assert sum(found["withCosts"]["routing"].values()) == len(QUERIES)
    assert run("eval", "matcher", queries, "--catalog", catalog) == 0
    assert "with --costs" in run.out
