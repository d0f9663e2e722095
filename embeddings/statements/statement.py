"""What a statement is, and what is said of one that bears on a phrase."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Statement:
    """One sentence about a label.

    Attributes:
        group: whom it is about; statements of one label are ranked for one group at a time.
        label: the label's name.
        field: the part of the entry that it was taken from, such as `limitations`.
        text: the sentence.
        questions: examples of what people ask that it answers.
    """

    group: str
    label: str
    field: str
    text: str
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relevant:
    """A statement that bears on a phrase.

    Attributes:
        statement: the statement.
        confidence: probability in [0, 1] that it is what answers the phrase.
    """

    statement: Statement
    confidence: float
