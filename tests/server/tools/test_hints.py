from embeddings.ranking.match_result import Decision, Match, MatchResult, Note
from server.tools.answers import HINT_AMBIGUOUS, HINT_NO_MATCH, HINT_NOT_ENGLISH, NOTE_HINTS, hint

MATCHES = (Match("Checkpoints", 0.5, "embedding"),)


def hinted(decision: Decision, *notes: Note) -> str | None:
    return hint(MatchResult("undo", decision, False, MATCHES, 0.1, notes))


def test_without_notes_the_hint_follows_from_the_decision() -> None:
    cases: list[tuple[Decision, str | None]] = [
        ("resolved", None),
        ("ambiguous", HINT_AMBIGUOUS),
        ("no_match", HINT_NO_MATCH),
    ]
    for decision, expected in cases:
        assert hinted(decision) == expected, (decision, expected)


def test_a_note_adds_its_hint() -> None:
    for note in NOTE_HINTS:
        assert hinted("resolved", note) == NOTE_HINTS[note], note
        assert hinted("ambiguous", note) == f"{HINT_AMBIGUOUS} {NOTE_HINTS[note]}", note


def test_a_phrase_in_another_language_has_that_hint_alone() -> None:
    cases: list[Decision] = ["resolved", "ambiguous", "no_match"]
    for decision in cases:
        assert hinted(decision, "negated", "not_english") == HINT_NOT_ENGLISH, decision
