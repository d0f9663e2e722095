import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from embeddings.preflight.finding import Finding
from server.errors import CallerError, Parts
from server.preflight.baseline import Baseline
from tests.server.preflight.found import ALL, CONFUSABLE, THIN, accepting


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "baseline.json"


def test_what_was_written_is_accepted_when_it_is_read(path: Path) -> None:
    accepting(*ALL).write(path)
    read = Baseline.read(path)
    assert all(read.entry(finding) for finding in ALL)
    assert read.stale(ALL) == []


def test_the_file_has_a_version_and_an_entry_for_each_finding(path: Path) -> None:
    accepting(CONFUSABLE).write(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["version"] == 1
    (entry,) = content["accepted"]
    assert entry.keys() == {"rule", "labels", "texts"}
    assert (entry["rule"], entry["labels"], len(entry["texts"])) == ("confusable", ["Refund", "Shipping"], 64)


def test_the_order_of_findings_does_not_change_the_bytes(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    accepting(*ALL).write(path)
    accepting(*reversed(ALL), *ALL).write(other)
    assert path.read_bytes() == other.read_bytes()


def test_names_that_no_terminal_shows_and_no_file_can_hold_are_read_as_they_were(path: Path) -> None:
    finding = replace(THIN, label="\ud800 \u202e \n é")
    accepting(finding).write(path)
    assert "é" in path.read_text(encoding="utf-8")
    assert "\u202e" not in path.read_text(encoding="utf-8")
    assert Baseline.read(path).entry(finding)


def test_a_finding_of_another_rule_label_or_text_is_not_accepted() -> None:
    cases: list[Finding] = [
        replace(CONFUSABLE, rule="shadowed"),
        replace(CONFUSABLE, label="Refunds"),
        replace(CONFUSABLE, other="Parcels"),
        replace(CONFUSABLE, texts=("give it back", "send it again")),
    ]
    for other in cases:
        assert accepting(CONFUSABLE).entry(other) is None, other


def test_the_same_finding_is_accepted_however_it_is_told() -> None:
    cases: list[Finding] = [
        replace(CONFUSABLE, severity="note", suggestion="", pointer="/labels/9", phrase="give it", probability=0.9),
        replace(CONFUSABLE, label="Shipping", other="Refund", texts=("send it", "give it back")),
    ]
    for again in cases:
        assert accepting(CONFUSABLE).entry(again), again


def test_a_shadowed_label_is_not_the_one_that_shadows() -> None:
    shadowed = replace(CONFUSABLE, rule="shadowed")
    assert accepting(shadowed).entry(replace(shadowed, label="Shipping", other="Refund")) is None


def test_an_entry_that_accepts_nothing_is_stale() -> None:
    (entry,) = accepting(*ALL).stale((ALL[0], ALL[1]))
    assert entry.key.rule == "thin"


def test_reasons_are_kept_when_the_file_is_written_again(path: Path) -> None:
    accepting(CONFUSABLE, THIN).write(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["accepted"][0]["reason"] = "meant so"
    path.write_text(json.dumps(content), encoding="utf-8")
    Baseline.accepting(ALL, Baseline.read(path)).write(path)
    entries = json.loads(path.read_text(encoding="utf-8"))["accepted"]
    assert [entry.get("reason") for entry in entries] == ["meant so", None, None]


ENTRY: Final[dict[str, Any]] = {"rule": "thin", "labels": ["a"], "texts": "0"}


def test_a_file_that_is_no_baseline_is_the_callers_mistake(path: Path) -> None:
    cases: list[Any] = [
        "{",
        "[]",
        "{}",
        '"text"',
        '{"labels": []}',
        '{"accepted": []}',
        '{"version": 2, "accepted": []}',
        '{"version": true, "accepted": []}',
        '{"version": 1, "accepted": {}}',
        '{"version": 1, "accepted": ["thin"]}',
        '{"version": 1, "accepted": [[]]}',
        '{"version": 1, "accepted": [{}]}',
        *(
            json.dumps({"version": 1, "accepted": [ENTRY | changed]})
            for changed in ({"rule": 1}, {"labels": "a"}, {"labels": [1]}, {"texts": None}, {"reason": 1})
        ),
    ]
    for content in cases:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(CallerError) as caught:
            Baseline.read(path)
        assert str(path) in str(caught.value), content
        assert str(Parts.of(caught.value)) == str(caught.value), content


def test_a_file_that_is_not_there_is_the_callers_mistake(path: Path) -> None:
    with pytest.raises(CallerError, match="add --write-baseline"):
        Baseline.read(path)


def test_a_file_that_cannot_be_written_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match="cannot be written"):
        accepting(THIN).write(tmp_path)
