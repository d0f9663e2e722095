"""How often answers of about one confidence are right: the bars of a reliability diagram."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final

from server.web.answers.health.measured import Bin

BINS: Final = 10
"""Bins between 0 and 1, all of one width."""


def reliability(answers: Iterable[tuple[float, bool]]) -> list[Bin]:
    """Group answers, each with its confidence and whether it was right; bins without answers are left out."""
    groups = groupby(sorted(answers), key=lambda answer: min(int(answer[0] * BINS), BINS - 1))
    return [_bin(place, list(group)) for place, group in groups]


def bin_value(bar: Bin) -> dict[str, Any]:
    """A bin as a JSON value."""
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
