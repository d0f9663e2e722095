import json
from pathlib import Path

import pytest

from server.errors import CallerError
from server.matching.service import Service
from server.web.answers.label_detail import catalog_id, label_detail
from server.web.answers.reliability import Bin, LabelOutcome, Measured
from tests.server.label_catalog import CATALOG, TOOLS, label_service

NOTHING = Measured({}, {})
OUTCOME = LabelOutcome(asked=4, right=3, resolved=2, resolved_right=2, bins=(Bin(0.9, 1.0, 0.95123, 1.0, 2),))


def test_a_capability_is_described(service: Service) -> None:
    answer = label_detail(service, "mcp support", NOTHING)
    assert (answer["name"], answer["category"]) == ("MCP Support", "api-integration")
    assert answer["description"] == "connect outside tools"
    assert answer["aliases"] == ["mcp", "snapshots of tools"]
    assert answer["phrasings"] == ["plug in outside tools", "connect"]
    assert answer["catalog"] == catalog_id(service)


def test_a_label_is_found_by_name_and_id(tmp_path: Path) -> None:
    for name in ["Vision", "id-2"]:
        answer = label_detail(label_service(tmp_path, CATALOG), name, NOTHING)
        assert (answer["name"], answer["id"]) == ("Vision", "id-2"), name
        assert "category" not in answer, name


def test_what_was_not_measured_or_not_asked_for_has_no_reliability(service: Service) -> None:
    answer = label_detail(service, "Vision", None)
    assert answer["pending"] is True
    assert answer["confusable"] == []
    assert "reliability" not in answer
    assert "reliability" not in label_detail(service, "Checkpoints", Measured({}, {"Vision": OUTCOME}))


def test_what_was_measured_is_told_likeliest_first(service: Service) -> None:
    measured = Measured({"Vision": [("Checkpoints", 0.05), ("MCP Support", 0.20004)]}, {"Vision": OUTCOME})
    answer = label_detail(service, "Vision", measured)
    assert "pending" not in answer
    assert answer["confusable"] == [
        {"name": "MCP Support", "probability": 0.2},
        {"name": "Checkpoints", "probability": 0.05},
    ]
    assert answer["reliability"] == {
        "asked": 4,
        "right": 3,
        "resolved": 2,
        "resolvedRight": 2,
        "bins": [{"from": 0.9, "to": 1.0, "confidence": 0.951, "accuracy": 1.0, "count": 2}],
    }


def test_measurements_are_found_by_id(tmp_path: Path) -> None:
    measured = Measured({"id-2": [("id-0", 0.1)]}, {"id-2": OUTCOME})
    answer = label_detail(label_service(tmp_path, CATALOG), "Vision", measured)
    assert answer["confusable"] == [{"name": "Checkpoints", "id": "id-0", "probability": 0.1}]
    assert answer["reliability"]["asked"] == 4


def test_at_most_eight_confusable_labels_are_told_and_unknown_ones_are_not(tmp_path: Path) -> None:
    labels = [{"name": f"label {place}"} for place in range(12)]
    service = label_service(tmp_path, {"labels": labels})
    others = [("gone", 0.9), *((f"label {place}", place / 100) for place in range(1, 12))]
    answer = label_detail(service, "label 0", Measured({"label 0": others}, {}))
    assert [other["name"] for other in answer["confusable"]] == [f"label {place}" for place in range(11, 3, -1)]


def test_absent_texts_are_left_out_and_others_stay_as_they_are(tmp_path: Path) -> None:
    answer = label_detail(label_service(tmp_path, {"labels": [{"name": "A"}, {"name": "B"}]}), "A", NOTHING)
    assert (answer["aliases"], answer["phrasings"], answer["confusable"]) == ([], [], [])
    assert "description" not in answer
    assert "null" not in json.dumps(answer)
    label = {"name": "<b>A</b>", "description": "<script>x</script>", "phrasings": ["تراجع"]}
    answer = label_detail(label_service(tmp_path, {"labels": [label, {"name": "B"}]}), "<b>A</b>", NOTHING)
    assert (answer["name"], answer["description"], answer["phrasings"]) == ("<b>A</b>", "<script>x</script>", ["تراجع"])


def test_an_unknown_name_is_refused_with_the_nearest(service: Service, tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"'Visions'.*Vision"):
        label_detail(service, "Visions", None)
    with pytest.raises(CallerError, match=r"'Visions'.*Vision"):
        label_detail(label_service(tmp_path, CATALOG), "Visions", None)


def test_labels_that_differ_in_punctuation_are_told_apart(tmp_path: Path) -> None:
    service = label_service(tmp_path, TOOLS)
    assert label_detail(service, "undo-it", NOTHING)["description"] == "rewind to what was"
    assert label_detail(service, "undo_it", NOTHING)["description"] == "undo and restore"
