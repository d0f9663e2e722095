"""Findings in words, the same in every format."""

from collections.abc import Callable, Mapping
from typing import Final

from embeddings.preflight.finding import SEVERITIES, Finding, Missed, Rule
from embeddings.text.invisible import escaped
from server.output import percent
from server.preflight.baseline import Entry
from server.preflight.outcome import Outcome

_LONGEST: Final = 120
"""Characters of a phrase that are shown."""

HELP: Final[Mapping[Rule, str]] = {
    "refused": "A server that is started with this catalog would refuse it, or would leave out a part of it. The "
    "suggestion names the entry and the field.",
    "hidden": "A character that is not drawn, such as a zero-width space or one that turns the direction of writing, "
    "can make a text mean something else to a program than to its reviewer. Remove it.",
    "duplicate": "Names are compared without case and punctuation, so one phrase is the name of both labels and never "
    "settles on one. Rename one of them, or merge the two.",
    "shadowed": "A phrase that is this label's name or alias is also a name or alias of another label, so it never "
    "means this label alone. Leave it to one of them.",
    "thin": "The label has a name only, or texts whose words would fit any label, so nothing leads to it rather than "
    "to another. Name its subject, or add examples of how people ask for it.",
    "unreachable": "Most examples of this label, or most parts of its description, find other labels first when they "
    "are held out. Bring name, description and examples together, or move what belongs to another label.",
    "confusable": "What asks for one of two labels is found to mean the other with a high probability. Say early in "
    "both texts what sets them apart, or merge the two.",
    "long": "The encoder reads a limited number of tokens of a text, and what follows does not change any answer. Say "
    "first what the label is for.",
    "unkept": "An agent loads a skill for what its description says. Where nothing in the body is about it, the agent "
    "has loaded it in vain. Code in the body does not count.",
    "uneven": "A label with examples is found by what people say, one without by its name and description alone, so it "
    "loses to the others and is refused more often. Three examples are enough to compare.",
    "missed": "An estimate from the catalog's own examples, each asked for while it was held out, and asked for again "
    "while half of the labels were without theirs if other labels have none. A phrase that a label serves and that is "
    "no_match ends the conversation.",
    "outside": "So few phrases hardly say what fits nothing; phrases that ship with the program do most of the work. "
    "More of them, as users say them, tell what is near to a label from what it serves.",
}
"""Why each rule matters, and what to do."""


def sentence(finding: Finding) -> str:
    """Describe what is wrong with which label, in one sentence without a full stop."""
    return _SENTENCES[finding.rule](finding)


def advised(finding: Finding) -> str:
    """Describe what is wrong, and what to do about it."""
    return f"{sentence(finding)}: {escaped(finding.suggestion)}"


def summary(outcome: Outcome) -> str:
    """Summarize what was judged, and how much was found."""
    report, counts = outcome.report, outcome.counts
    judged = f"{counted(report.labels, 'label')} asked for with {counted(report.phrases, 'phrase')}"
    found = ", ".join(counted(counts[severity], severity) for severity in SEVERITIES if counts[severity])
    parts = [found or "nothing found"]
    parts += [f"{len(outcome.accepted)} accepted"] if outcome.accepted else []
    parts += [f"{len(outcome.stale)} stale in the baseline"] if outcome.stale else []
    told = f"{judged}: {', '.join(parts)}"
    return f"{told}; {expected(report.missed)}" if report.missed else told


def expected(missed: Missed) -> str:
    """Return how much of what is served is expected to be `no_match`."""
    return (
        f"about {percent(missed.share)} of what its labels serve is expected to be no_match, by "
        f"{counted(missed.phrases, 'example')}"
    )


def stale(entry: Entry) -> str:
    """Return an entry of the baseline that accepts nothing, and what to do about it."""
    labels = " and ".join(map(label, entry.key.labels))
    return f"{escaped(entry.key.rule)} of {labels} is accepted but was not found; remove the entry"


def counted(number: int, what: str) -> str:
    """Return a number of things."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def label(name: str) -> str:
    """Return a label as findings name it; one without a name stands for the whole catalog."""
    return f"'{escaped(name)}'" if name else "the catalog"


def _other(finding: Finding) -> str:
    return label(finding.other) if finding.other else "another label"


def _phrase(finding: Finding) -> str:
    """Return the phrase in quotation marks; empty if there is none."""
    if not finding.phrase:
        return ""
    cut = finding.phrase if len(finding.phrase) <= _LONGEST else f"{finding.phrase[: _LONGEST - 1]}…"
    return f'"{escaped(cut)}"'


def _refused(finding: Finding) -> str:
    taken = "is refused" if finding.severity == "error" else "is not read as it stands"
    return f"{label(finding.label)} {taken}"


def _hidden(finding: Finding) -> str:
    shown = f", in {_phrase(finding)}" if finding.phrase else ""
    return f"{label(finding.label)} has characters that a reader does not see{shown}"


def _duplicate(finding: Finding) -> str:
    return f"{label(finding.label)} and {_other(finding)} have names that differ at most in case and punctuation"


def _shadowed(finding: Finding) -> str:
    said = _phrase(finding) or "its name or an alias"
    return f"{label(finding.label)} shares {said} with {_other(finding)}"


def _thin(finding: Finding) -> str:
    likely = _likely(finding)
    found = f"; {_phrase(finding)} finds it with {likely}" if likely and not _is_found(finding) else ""
    return f"{label(finding.label)} says too little to be told from other labels{found}"


def _unreachable(finding: Finding) -> str:
    asked = f" for {_phrase(finding)}" if finding.phrase else " for what it is asked with"
    instead = f"; {label(finding.other)} is likelier" if finding.other else ""
    return f"{label(finding.label)} is not among the first three{asked}{instead}"


def _confusable(finding: Finding) -> str:
    pair = f"{label(finding.label)} and {_other(finding)} are easily confused"
    if likely := _likely(finding):
        return f"{pair}; {_phrase(finding)}, meant for one, finds the other with {likely}"
    return f"{pair}; {_phrase(finding)} could mean either" if finding.phrase else pair


def _long(finding: Finding) -> str:
    rest = f"; not read: {_phrase(finding)}" if finding.phrase else ""
    return f"{label(finding.label)} has a text that is longer than the encoder reads{rest}"


def _unkept(finding: Finding) -> str:
    said = _phrase(finding) or "something"
    return f"{label(finding.label)} promises {said}, which nothing in its body is about"


def _uneven(finding: Finding) -> str:
    without = len(finding.texts)
    return f"{label(finding.label)} has examples for some labels, none for {counted(without, 'label')}"


def _missed(finding: Finding) -> str:
    return f"{label(finding.label)} is expected to call {percent(finding.probability or 0)} of what it serves no_match"


def _outside(finding: Finding) -> str:
    listed = counted(len(finding.texts), "out-of-scope phrase")
    return f"{label(finding.label)} lists {listed}, too few to show what fits nothing"


def _is_found(finding: Finding) -> bool:
    """Tell whether the phrase finds its label, so that it is no example of a label that says too little."""
    return finding.probability is not None and finding.probability >= 0.5


def _likely(finding: Finding) -> str:
    """Return the likely meaning of the phrase, as a percentage; empty if nothing is known of it."""
    return percent(finding.probability) if finding.phrase and finding.probability is not None else ""


_SENTENCES: Final[Mapping[Rule, Callable[[Finding], str]]] = {
    "refused": _refused,
    "hidden": _hidden,
    "duplicate": _duplicate,
    "shadowed": _shadowed,
    "thin": _thin,
    "unreachable": _unreachable,
    "confusable": _confusable,
    "long": _long,
    "unkept": _unkept,
    "uneven": _uneven,
    "missed": _missed,
    "outside": _outside,
}
