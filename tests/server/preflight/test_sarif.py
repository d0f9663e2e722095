import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from embeddings.preflight.finding import RULES
from server.preflight.baseline import Baseline
from server.preflight.formats import SCHEMA, to_sarif
from server.preflight.outcome import Outcome
from tests.server.preflight.found import ALL, CONFUSABLE, THIN, accepting, outcome

PUBLISHED = json.loads(Path(__file__).with_name("sarif-schema-2.1.0.json").read_text(encoding="utf-8"))

OUTCOMES = {
    "findings": outcome(*ALL),
    "nothing": outcome(),
    "no file": outcome(*ALL, path=""),
    "accepted": outcome(*ALL, baseline=accepting(THIN)),
    "hidden characters": outcome(replace(THIN, label="\ud800\u202e\n", phrase="\x00", probability=1.0)),
}


def run(found: Outcome) -> dict[str, Any]:
    (only,) = json.loads(to_sarif(found))["runs"]
    assert isinstance(only, dict)
    return only


def test_the_file_fits_the_published_schema() -> None:
    for found in OUTCOMES.values():
        assert [error.message for error in Draft4Validator(PUBLISHED).iter_errors(json.loads(to_sarif(found)))] == [], (
            found
        )


def test_the_schema_refuses_what_is_not_sarif() -> None:
    value = json.loads(to_sarif(outcome(*ALL)))
    value["runs"][0]["results"][0]["level"] = "grave"
    assert not Draft4Validator(PUBLISHED).is_valid(value)


def test_the_file_names_the_schema_it_was_checked_with() -> None:
    assert PUBLISHED["id"] == SCHEMA == json.loads(to_sarif(outcome()))["$schema"]


def test_every_rule_is_described() -> None:
    rules = run(outcome())["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    for rule in rules:
        for part in ("shortDescription", "fullDescription", "help"):
            assert rule[part]["text"].endswith(".")


def test_a_result_says_which_rule_and_where() -> None:
    found = run(outcome(*ALL))
    _, result, _ = found["results"]
    rules = found["tool"]["driver"]["rules"]
    assert (result["ruleId"], rules[result["ruleIndex"]]["id"]) == ("confusable", "confusable")
    assert result["level"] == "warning"
    assert result["message"]["text"].startswith("'Refund' and 'Shipping' are easily confused")
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "catalog.json"},
                "region": {"startLine": 2, "startColumn": 3},
            },
            "logicalLocations": [{"name": "Refund", "kind": "object"}],
        }
    ]


def test_without_a_file_a_result_names_its_label() -> None:
    refused, _, thin = run(outcome(*ALL, path=""))["results"]
    assert refused["locations"] == []
    assert thin["locations"] == [{"logicalLocations": [{"name": "Shipping", "kind": "object"}]}]


def test_an_address_is_a_uri_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def address(path: Path | str) -> Any:
        (result,) = run(outcome(THIN, path=str(path)))["results"]
        return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    folder = tmp_path / "in here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert address("a b/c:d.json") == "a%20b/c%3Ad.json"
    assert address(folder / "c.json") == "c.json"
    assert address("../c.json") == (tmp_path / "c.json").as_uri()


def test_a_fingerprint_changes_with_the_texts_and_not_with_the_place() -> None:
    moved, changed = replace(THIN, pointer="/labels/0", suggestion="x"), replace(THIN, texts=("send it all",))
    prints = [result["partialFingerprints"] for result in run(outcome(THIN, moved, changed))["results"]]
    assert prints[0] == prints[1] != prints[2]


def test_accepted_findings_are_suppressed_with_their_reason() -> None:
    (entry,) = accepting(THIN).stale(())
    baseline = Baseline([replace(entry, reason="meant so")])
    confusable, thin = run(outcome(CONFUSABLE, THIN, baseline=baseline))["results"]
    assert (confusable["baselineState"], "suppressions" in confusable) == ("new", False)
    assert thin["baselineState"] == "unchanged"
    assert thin["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "meant so"}]


def test_without_a_baseline_no_result_is_compared_with_one() -> None:
    assert not any("baselineState" in result for result in run(outcome(*ALL))["results"])


def test_a_label_makes_no_link() -> None:
    (result,) = run(outcome(replace(THIN, label="[here](https://example.com)")))["results"]
    assert "](" not in result["message"]["text"]
