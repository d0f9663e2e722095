"""Skills whose description promises what their body lacks."""

from typing import Any

from embeddings.preflight.finding import Report
from embeddings.preflight.preflight import preflight
from tests.embeddings.preflight.judging import LimitedToyEncoder, found


def judged(*skills: dict[str, Any]) -> Report:
    return preflight({"skills": list(skills)}, LimitedToyEncoder())


UNDO = {"name": "undo", "description": "undo a change. rewind to it.", "body": "- restore the file\n- go back to it"}


def test_a_sentence_that_nothing_in_the_body_is_about_is_quoted() -> None:
    skill = UNDO | {"name": "more", "description": "undo a change. see a picture.", "path": "skills/more"}
    (finding,) = found(judged(UNDO, skill), "unkept")
    assert (finding.label, finding.phrase, finding.pointer) == ("skills/more", "see a picture.", "/skills/1")


def test_a_part_of_a_sentence_that_a_long_body_says_nothing_of_is_a_note() -> None:
    long = {"body": "- restore the file\n- go back to it\n" * 10}
    promising = {"description": "undo a change, then see a picture. rewind to it."}
    (finding,) = found(judged(UNDO | long | promising), "unkept")
    assert (finding.severity, finding.phrase) == ("note", "then see a picture")
    assert found(judged(UNDO | promising), "unkept") == []


def test_a_skill_without_a_body_promises_nothing_that_can_be_checked() -> None:
    assert found(judged({"name": "undo", "description": "undo a change"}), "unkept") == []


def test_a_skill_that_cannot_be_read_is_refused_and_the_rest_is_judged() -> None:
    report = judged(UNDO, {"path": "skills/bad", "problem": "has no frontmatter"})
    (finding,) = found(report, "refused")
    assert (finding.severity, report.labels) == ("error", 1)
    assert "skills/bad" in finding.suggestion
