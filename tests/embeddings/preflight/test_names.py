"""Duplicate names, and names and aliases that lead elsewhere."""

from embeddings.preflight.preflight import preflight
from tests.embeddings.preflight.judging import LimitedToyEncoder, found, judged, named

UNDO = {"name": "Undo", "description": "go back"}
CONNECT = {"name": "Connect", "description": "plug in outside tools"}


def test_names_that_differ_in_case_and_punctuation_are_duplicates_of_each_other() -> None:
    report = judged({"name": "Pay slip"}, {"name": "pay-slip"}, CONNECT)
    assert named(found(report, "duplicate")) == [("Pay slip", "pay-slip"), ("pay-slip", "Pay slip")]


def test_a_duplicate_that_the_reader_refuses_is_an_error() -> None:
    assert {finding.severity for finding in found(judged(UNDO, UNDO), "duplicate")} == {"error"}


def test_a_duplicate_that_ids_tell_apart_is_a_warning() -> None:
    report = judged(UNDO | {"id": "a"}, UNDO | {"id": "b"})
    assert [(finding.label, finding.severity) for finding in found(report, "duplicate")] == [
        ("a", "warning"),
        ("b", "warning"),
    ]


def test_one_name_in_two_conventions_on_two_servers_is_a_duplicate() -> None:
    tools = {"crm": {"tools": [{"name": "createTask"}]}, "tracker": {"tools": [{"name": "create_task"}]}}
    report = preflight(tools, LimitedToyEncoder())
    assert named(found(report, "duplicate")) == [
        ("crm/createTask", "tracker/create_task"),
        ("tracker/create_task", "crm/createTask"),
    ]


def test_an_alias_that_is_the_name_of_another_label_is_shadowed_by_it() -> None:
    (warning, note) = found(judged(UNDO | {"aliases": ["connect"]}, CONNECT), "shadowed")
    assert (warning.label, warning.other, warning.phrase, warning.severity) == ("Undo", "Connect", "connect", "warning")
    assert (note.label, note.other, note.severity) == ("Connect", "Undo", "note")


def test_an_alias_of_two_labels_is_shadowed_for_both() -> None:
    report = judged(UNDO | {"aliases": ["the button"]}, CONNECT | {"aliases": ["The Button"]})
    assert named(found(report, "shadowed")) == [("Undo", "Connect"), ("Connect", "Undo")]


def test_an_alias_of_its_own_is_not_shadowed() -> None:
    assert not found(judged(UNDO | {"aliases": ["undo!", "rewind"]}, CONNECT), "shadowed")
