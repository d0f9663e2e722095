"""Measures with held-out phrases of a catalog each label's neighbours, and how reliable answers are.

A label is identified by its id, or by its name if it has none, as in a preflight report.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from embeddings.labels.phrase_book import PhraseBook
from embeddings.preflight.finding import Answer, Report


@dataclass(frozen=True)
class Bin:
    """Answers of about one confidence.

    Attributes:
        start: lowest confidence of the bin.
        end: highest confidence.
        confidence: mean confidence of its answers.
        accuracy: share of them that were right.
        count: number of its answers; 1 or more.
    """

    start: float
    end: float
    confidence: float
    accuracy: float
    count: int


@dataclass(frozen=True)
class LabelOutcome:
    """The outcome of asking for one label with phrases that its catalog, for the query, did not have.

    Attributes:
        asked: number of queries for the label.
        right: queries that ranked the label first.
        resolved: queries that were resolved, to whatever label.
        resolved_right: queries that were resolved to the label.
        bins: the queries by the confidence of their best match, ascending; without empty bins.
    """

    asked: int
    right: int
    resolved: int
    resolved_right: int
    bins: Sequence[Bin]


@dataclass(frozen=True)
class Measured:
    """The measurements of every label in one preflight.

    Attributes:
        confusable: for each label, those that its queries reach instead, with their mean probability, likeliest first.
        outcomes: for each label that was asked for, what came of it.
    """

    confusable: Mapping[str, Sequence[tuple[str, float]]]
    outcomes: Mapping[str, LabelOutcome]


BINS: Final = 10
"""Bins between 0 and 1, all of one width."""


def reliability(answers: Iterable[tuple[float, bool]]) -> list[Bin]:
    """Group answers, each with its confidence and whether it was right; bins without answers are left out."""
    groups = groupby(sorted(answers), key=lambda answer: min(int(answer[0] * BINS), BINS - 1))
    return [_bin(place, list(group)) for place, group in groups]


def bin_value(bar: Bin) -> dict[str, Any]:
    """Return a bin as a JSON value."""
    return {
        "from": bar.start,
        "to": bar.end,
        "confidence": round(bar.confidence, 3),
        "accuracy": round(bar.accuracy, 3),
        "count": bar.count,
    }


def _bin(place: int, answers: list[tuple[float, bool]]) -> Bin:
    count = len(answers)
    confidence, right = sum(found for found, _ in answers), sum(was_right for _, was_right in answers)
    return Bin(place / BINS, (place + 1) / BINS, confidence / count, right / count, count)


def measured(report: Report, book: PhraseBook) -> Measured:
    """Return the measurements of each label; a label is called by its id, or by its name if it has none.

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
    """Return the catalog's id or name of the label at a JSON pointer, such as `/labels/3`."""
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
