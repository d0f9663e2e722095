from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.preflight.finding import Answer, Answers, Confusion, Report
from server.web.answers.reliability import Bin, LabelOutcome, measured

BOOK = PhraseBook((Label("Undo", id="u1"), Label("Redo"), Label("See")))
REPORT = Report(
    (),
    3,
    3,
    (
        Answers(
            "Undo",
            "/labels/0",
            (Answer(0.95, True, "resolved"), Answer(0.91, False, "resolved"), Answer(0.3, True, "ambiguous")),
            (Confusion("Undo", "Redo", 0.4), Confusion("Undo", "See", 0.02)),
        ),
        Answers("Redo", "/labels/1", (), (Confusion("Redo", "Undo", 0.3),)),
        Answers("See", "/labels/2", (Answer(0.2, False, "no_match"),)),
    ),
)


def test_labels_are_called_by_their_ids_if_they_have_any() -> None:
    found = measured(REPORT, BOOK)
    assert found.confusable == {"u1": [("Redo", 0.4), ("See", 0.02)], "Redo": [("u1", 0.3)]}
    assert set(found.outcomes) == {"u1", "See"}


def test_right_and_resolved_answers_are_counted() -> None:
    bins = [Bin(0.3, 0.4, 0.3, 1.0, 1), Bin(0.9, 1.0, (0.95 + 0.91) / 2, 0.5, 2)]
    assert measured(REPORT, BOOK).outcomes["u1"] == LabelOutcome(3, 2, 2, 1, bins)
