"""Findings of a preflight: rules, severities, findings and the report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from embeddings.ranking.match_result import Decision

Severity = Literal["error", "warning", "note"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The severities, the gravest first."""

Rule = Literal[
    "refused",
    "hidden",
    "duplicate",
    "shadowed",
    "thin",
    "unreachable",
    "confusable",
    "long",
    "unkept",
    "uneven",
    "missed",
    "outside",
]

RULES: Final[Mapping[Rule, str]] = {
    "refused": "the catalog's reader does not take it, or not whole",
    "hidden": "a text has characters that a reader does not see",
    "duplicate": "two labels have names that differ at most in case and punctuation",
    "shadowed": "another label wins on this one's name or alias",
    "thin": "the texts say too little to tell the label from others",
    "unreachable": "the label is not among the first three for what it is asked with",
    "confusable": "phrases for one label are as likely another's",
    "long": "a text goes beyond what the encoder reads",
    "unkept": "a skill's description promises what its body lacks",
    "uneven": "some labels have examples, others have none",
    "missed": "many phrases that a label serves are expected to be no_match",
    "outside": "the out-of-scope phrases are too few to show what fits nothing",
}
"""Description of each rule, in one clause; reports list the rules in this order."""


@dataclass(frozen=True)
class Finding:
    """One thing that is the matter with a label.

    Attributes:
        rule: the rule that found it.
        severity: how grave it is.
        label: the label's id, else its name; empty if it is about the whole catalog.
        suggestion: what to do about it, in words from the labels' own texts.
        pointer: JSON pointer of the label's place in the file; empty for the whole value.
        other: the other label, if there is one.
        phrase: a phrase that shows it.
        probability: how likely the phrase is found to mean the other label, or else this one, in [0, 1].
        texts: what was judged, so that an accepted finding is found again only while they stay as they are.
    """

    rule: Rule
    severity: Severity
    label: str
    suggestion: str
    pointer: str = ""
    other: str | None = None
    phrase: str | None = None
    probability: float | None = None
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Confusion:
    """How likely phrases for one label are found to mean another.

    Attributes:
        label: the label that was asked for: its id, else its name.
        other: the label that was found.
        probability: mean over the phrases, in [0, 1].
    """

    label: str
    other: str
    probability: float


@dataclass(frozen=True)
class Answer:
    """The result of one phrase for a label, while the catalog did not have the phrase.

    Attributes:
        confidence: of the first label, in [0, 1].
        right: whether the first label is the one that was asked for.
        decision: what a caller is told.
    """

    confidence: float
    right: bool
    decision: Decision


@dataclass(frozen=True)
class Answers:
    """The results of the phrases for one label.

    Attributes:
        label: the label, as findings name it.
        pointer: JSON pointer of its place in the file.
        answers: one for each phrase.
        others: the labels that are likeliest instead, the likeliest first.
    """

    label: str
    pointer: str
    answers: tuple[Answer, ...]
    others: tuple[Confusion, ...] = ()


@dataclass(frozen=True)
class Missed:
    """How much of what a catalog serves it is expected to call `no_match`.

    Attributes:
        share: of the phrases that a label serves, in [0, 1].
        phrases: the number of held-out examples that this was estimated from.
    """

    share: float
    phrases: int


@dataclass(frozen=True)
class Report:
    """The result of a preflight.

    Attributes:
        findings: by rule in the order of `RULES`, then in the order of the catalog.
        labels: number of labels that were judged.
        phrases: number of phrases that they were asked for with.
        answers: what the phrases for each label that was judged found, in the order of the catalog.
        missed: what it is expected to call `no_match`; None without examples to estimate it from.
    """

    findings: tuple[Finding, ...]
    labels: int
    phrases: int
    answers: tuple[Answers, ...] = field(default=())
    missed: Missed | None = None
