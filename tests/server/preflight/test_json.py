import json

from server.preflight.formats import to_json
from tests.server.preflight.found import ALL, CONFUSABLE, THIN, accepting, outcome


def test_the_value_has_findings_and_a_summary_and_nothing_that_is_absent() -> None:
    assert json.loads(to_json(outcome(CONFUSABLE, THIN))) == {
        "findings": [
            {
                "rule": "confusable",
                "severity": "warning",
                "label": "Refund",
                "other": "Shipping",
                "phrase": "where is it",
                "probability": 0.457,
                "suggestion": "only 'Refund' says 'money'",
            },
            {"rule": "thin", "severity": "note", "label": "Shipping", "suggestion": "add a description"},
        ],
        "summary": {"labels": 2, "phrases": 5, "errors": 0, "warnings": 1, "notes": 1, "accepted": 0, "stale": 0},
    }


def test_accepted_and_stale_findings_are_counted_only() -> None:
    value = json.loads(to_json(outcome(THIN, baseline=accepting(*ALL))))
    assert value["findings"] == []
    assert value["summary"] == {
        "labels": 2,
        "phrases": 5,
        "errors": 0,
        "warnings": 0,
        "notes": 0,
        "accepted": 1,
        "stale": 2,
    }


def test_it_is_one_line() -> None:
    assert len(to_json(outcome(*ALL)).splitlines()) == 1
