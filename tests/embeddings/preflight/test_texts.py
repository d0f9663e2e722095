"""Hidden characters and texts that are too long."""

from embeddings.preflight.preflight import preflight
from tests.embeddings.preflight.judging import LimitedToyEncoder, found, judged, named

UNDO = {"name": "Undo", "description": "go back"}


def test_a_hidden_character_is_an_error_that_spells_it_out() -> None:
    for field in ["name", "description"]:
        (finding,) = found(judged(UNDO | {field: "go\u200bback"}), "hidden")
        assert finding.severity == "error", field
        assert "U+200B, character 3" in finding.suggestion, field
        assert finding.phrase == "go\\u200bback", field


def test_a_hidden_character_in_a_parameter_is_found_with_its_place() -> None:
    schema = {"properties": {"currency": {"description": "the\u202e code"}}}
    report = preflight({"tools": [{"name": "price", "inputSchema": schema}]}, LimitedToyEncoder())
    (finding,) = found(report, "hidden")
    assert "inputSchema.properties.currency.description" in finding.suggestion


def test_a_hidden_character_in_a_key_is_found() -> None:
    schema = {"properties": {"cur\u200brency": {"type": "string"}}}
    report = preflight({"tools": [{"name": "price", "inputSchema": schema}]}, LimitedToyEncoder())
    assert len(found(report, "hidden")) == 1


def test_what_a_reader_sees_is_not_hidden() -> None:
    for text in ["Größe ändern", "日本語", "עברית", "👩‍👩‍👧 family", "line\nbreak\tand tab"]:
        assert not found(judged(UNDO | {"description": text}), "hidden"), text


def test_metadata_are_not_judged_because_no_phrase_is_compared_with_them() -> None:
    assert not found(judged(UNDO | {"metadata": {"note": "a\u200bb"}}), "hidden")


def test_a_text_beyond_the_encoders_limit_is_long_and_shows_what_is_not_read() -> None:
    (finding,) = found(judged(UNDO | {"description": "go back to where it was " * 3}), "long")
    assert finding.severity == "warning"
    assert finding.phrase is not None
    assert finding.phrase in "Undo: " + "go back to where it was " * 3


def test_a_text_within_the_encoders_limit_is_not_long() -> None:
    assert not found(judged(UNDO), "long")


def test_a_long_phrasing_is_named_as_one() -> None:
    findings = found(judged(UNDO | {"phrasings": ["please go back " * 5, "undo"]}), "long")
    assert named(findings) == [("Undo", None)]
    assert "phrasing" in findings[0].suggestion
