"""What a catalog's own phrases, asked while held out, show of each label.

A label is identified by its id, or by its name if it has none, as in a preflight report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


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
    """What came of asking for one label with phrases that its catalog, for the query, did not have.

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
    """What one preflight measured of every label.

    Attributes:
        confusable: for each label, those that its queries reach instead, with their mean probability, likeliest first.
        outcomes: for each label that was asked for, what came of it.
    """

    confusable: Mapping[str, Sequence[tuple[str, float]]]
    outcomes: Mapping[str, LabelOutcome]
