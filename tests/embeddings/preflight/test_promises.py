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


def test_a_skill_without_a_body_promises_nothing_that_can_be_checked() -> None:
    assert found(judged({"name": "undo", "description": "undo a change"}), "unkept") == []


def test_a_skill_that_cannot_be_read_is_refused_and_the_rest_is_judged() -> None:
    report = judged(UNDO, {"path": "skills/bad", "problem": "has no frontmatter"})
    (finding,) = found(report, "refused")
    assert (finding.severity, report.labels) == ("error", 1)
    assert "skills/bad" in finding.suggestion
