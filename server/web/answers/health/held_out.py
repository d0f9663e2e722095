"""What a preflight's queries show of each label: what it is confused with, and how reliable its answers are."""

from embeddings.labels.phrase_book import PhraseBook
from embeddings.preflight.finding import Answer, Report
from server.web.answers.health.measured import LabelOutcome, Measured
from server.web.answers.health.reliability import reliability


def measured(report: Report, book: PhraseBook) -> Measured:
    """What was measured of each label; a label is called by its id, or by its name if it has none.

    Args:
        report: of a preflight of the book's JSON value.
        book: the catalog.
    """
    called = {found.label: _identity(book, found.pointer) for found in report.answers}
    confusable = {
        called[found.label]: [(called[each.other], each.probability) for each in found.others]
        for found in report.answers
        if found.others
    }
    outcomes = {called[found.label]: _outcome(found.answers) for found in report.answers if found.answers}
    return Measured(confusable, outcomes)


def _identity(book: PhraseBook, pointer: str) -> str:
    """What the catalog calls the label at a JSON pointer, such as `/labels/3`."""
    label = book.labels[int(pointer.rpartition("/")[2])]
    return label.id or label.name


def _outcome(answers: tuple[Answer, ...]) -> LabelOutcome:
    resolved = [answer for answer in answers if answer.decision == "resolved"]
    return LabelOutcome(
        asked=len(answers),
        right=sum(answer.right for answer in answers),
        resolved=len(resolved),
        resolved_right=sum(answer.right for answer in resolved),
        bins=reliability((answer.confidence, answer.right) for answer in answers),
    )
