"""Faults planted in three catalogs of 60 labels by an author who did not see the rules; two catalogs without faults."""

import json
from pathlib import Path
from typing import Any

import pytest

from embeddings.preflight.finding import Finding, Report
from embeddings.preflight.preflight import preflight
from tests.embeddings.preflight.judging import found, named
from tests.remembering import Remembering

pytestmark = pytest.mark.measures

PLANTED = Path(__file__).with_name("planted")


def content(name: str) -> Any:
    return json.loads((PLANTED / f"{name}.json").read_text(encoding="utf-8"))


def report_of(name: str, encoder: Remembering) -> Report:
    return preflight(content(name), encoder)


def shows(finding: Finding, fault: dict[str, str]) -> bool:
    about = {fault["label"], fault.get("other", fault["label"])}
    return finding.rule == fault["rule"] and bool(about & {finding.label, finding.other})


def test_nine_of_ten_planted_faults_are_named_and_hardly_anything_else(remembering: Remembering) -> None:
    for name in ["labels_faulty", "mixed_faulty", "tools_faulty"]:
        report, faults = report_of(name, remembering), content(f"{name}.faults")
        assert sum(any(shows(finding, fault) for finding in report.findings) for fault in faults) >= 9
        others = [
            finding
            for finding in report.findings
            if finding.severity != "note" and not any(shows(finding, fault) for fault in faults)
        ]
        assert len(others) <= 2


def test_a_faultless_catalog_has_no_warnings(remembering: Remembering) -> None:
    for name in ["clean_labels", "clean_tools"]:
        assert [finding for finding in report_of(name, remembering).findings if finding.severity != "note"] == []


def test_two_tools_that_open_a_support_ticket_are_confusable_and_one_that_does_things_is_thin(
    remembering: Remembering,
) -> None:
    report = preflight(
        {
            "tools": [
                {"name": "process", "description": "Does things"},
                {"name": "open_ticket", "description": "Open a new support ticket for a customer."},
                {"name": "create_support_ticket", "description": "Creates a new support ticket for the customer."},
                {"name": "refund", "description": "Gives the money of an order back."},
            ]
        },
        remembering,
    )
    assert named(found(report, "thin")) == [("process", None)]
    assert named(found(report, "confusable")) == [("open_ticket", "create_support_ticket")]
    assert "'open'" in found(report, "confusable")[0].suggestion


def test_a_confusable_pair_is_shown_with_the_phrase_that_moves(remembering: Remembering) -> None:
    (finding,) = [
        finding
        for finding in report_of("labels_faulty", remembering).findings
        if finding.rule == "confusable" and "Airport lounge" in (finding.label, finding.other)
    ]
    assert finding.phrase
    assert finding.probability is not None
    assert finding.probability > 0.5


def test_a_thin_description_among_others_is_a_note_only_where_no_label_has_one(remembering: Remembering) -> None:
    names = ["open the garage", "water the roses", "feed the cat"]
    report = preflight({"labels": [{"name": name} for name in names]}, remembering)
    assert {finding.severity for finding in found(report, "thin")} == {"note"}


def test_progress_goes_from_the_first_texts_to_the_last_phrase(remembering: Remembering) -> None:
    seen: list[tuple[int, int]] = []
    preflight(
        {"labels": [{"name": "undo", "description": "go back"}]},
        remembering,
        lambda done, of: seen.append((done, of)),
    )
    assert seen[0][0] > 0
    assert seen[-1][0] == seen[-1][1]
