import pytest

from embeddings.ranking.match_result import Decision, Match, MatchResult, Note
from server.tools.answers import HINT_AMBIGUOUS, HINT_NO_MATCH, HINT_NOT_ENGLISH, NOTE_HINTS, hint

MATCHES = (Match("Checkpoints", 0.5, "embedding"),)


def hinted(decision: Decision, *notes: Note) -> str | None:
    return hint(MatchResult("undo", decision, False, MATCHES, 0.1, notes))


@pytest.mark.parametrize(
    ("decision", "expected"), [("resolved", None), ("ambiguous", HINT_AMBIGUOUS), ("no_match", HINT_NO_MATCH)]
)
def test_without_notes_the_hint_follows_from_the_decision(decision: Decision, expected: str | None) -> None:
    assert hinted(decision) == expected


@pytest.mark.parametrize("note", NOTE_HINTS)
def test_a_note_adds_its_hint(note: Note) -> None:
    assert hinted("resolved", note) == NOTE_HINTS[note]
    assert hinted("ambiguous", note) == f"{HINT_AMBIGUOUS} {NOTE_HINTS[note]}"


@pytest.mark.parametrize("decision", ["resolved", "ambiguous", "no_match"])
def test_a_phrase_in_another_language_has_that_hint_alone(decision: Decision) -> None:
    assert hinted(decision, "negated", "not_english") == HINT_NOT_ENGLISH
