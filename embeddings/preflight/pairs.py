"""Finds pairs of labels between which probability moves, and says which words would tell them apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from embeddings.arrays import FloatArray
from embeddings.preflight.evidence import Evidence
from embeddings.preflight.finding import Confusion, Finding, Severity
from embeddings.preflight.reach import ENOUGH, only_in, quoted, subjects
from embeddings.preflight.reading import Entry

# Chosen as the limits in `embeddings.preflight.reach`.

MOVED: Final = 0.4
"""Mean probability that moves from a label's examples to one other label: 0.49 and 0.82 where examples stood under the
wrong label or had a twin, at most 0.28 elsewhere."""

MOVED_BOTH: Final = 0.5
"""The same in both directions together: 0.60 for reworded twins."""

SLIGHTLY: Final = 0.6
"""Part of `MOVED` and `MOVED_BOTH` from which on there is a note."""

ALIKE: Final = 0.8
"""Cosine of two labels' names with descriptions, where one has no examples: 0.82 for reworded twins, at most 0.69 in
the faultless catalog of tools."""

RATHER_ALIKE: Final = 0.6
"""The same, for a note, if `MOVED_PARTS` of probability moves as well; half-way between the two, for a warning."""

MOVED_PARTS: Final = 0.8
"""Probability that moves between two labels without examples, in both directions together."""


@dataclass(frozen=True)
class Pairs:
    """A catalog's labels by pairs.

    Attributes:
        entries: the labels.
        evidence: of each label.
        alike: float32 (labels, labels), cosines of the labels' names with descriptions.
    """

    entries: Sequence[Entry]
    evidence: Sequence[Evidence]
    alike: FloatArray

    def find(self) -> Iterator[Finding]:
        """Find pairs that are confusable, in the order of the catalog."""
        for second in range(len(self.entries)):
            for first in range(second):
                severity = self._severity(first, second)
                if severity:
                    yield self._pair(first, second, severity)

    def confusions(self, least: float) -> Iterator[Confusion]:
        """Yield the pairs between which at least so much of the mean probability moves, the largest first."""
        moved = [
            Confusion(entry.called, other.called, float(found.mean[place]))
            for entry, found in zip(self.entries, self.evidence, strict=True)
            for place, other in enumerate(self.entries)
            if other is not entry and found.mean[place] >= least
        ]
        yield from sorted(moved, key=lambda pair: -pair.probability)

    def _severity(self, first: int, second: int) -> Severity | None:
        one, two = self.evidence[first], self.evidence[second]
        there, back = float(one.mean[second]), float(two.mean[first])
        most = max(there * _counts(one), back * _counts(two))
        both = (there + back) * _counts(one) * _counts(two)
        if most >= MOVED or both >= MOVED_BOTH:
            return "warning"
        slightly = most >= SLIGHTLY * MOVED or both >= SLIGHTLY * MOVED_BOTH
        if one.by_examples and two.by_examples:
            return "note" if slightly else None
        moves = there + back >= MOVED_PARTS
        alike = float(self.alike[first, second])
        if alike >= ALIKE or (moves and alike >= (ALIKE + RATHER_ALIKE) / 2):
            return "warning"
        return "note" if slightly or (moves and alike >= RATHER_ALIKE) else None

    def _pair(self, first: int, second: int, severity: Severity) -> Finding:
        one, two = self.entries[first], self.entries[second]
        found = [query for query in self.evidence[first].main if query.other == second]
        found += [query for query in self.evidence[second].main if query.other == first]
        shown = max(found, key=lambda query: query.moved, default=None)
        return Finding(
            "confusable",
            severity,
            one.called,
            _apart(one, two),
            one.pointer,
            two.called,
            shown.text if shown else one.label.description or one.label.name,
            shown.moved if shown else None,
            texts=(*one.judged, *two.judged),
        )


def _counts(found: Evidence) -> bool:
    """Return whether a label was asked for by enough examples that their mean says something."""
    return found.by_examples and len(found.queries) >= ENOUGH


def _apart(one: Entry, two: Entry) -> str:
    """Advice from the two labels' own texts."""
    said = [
        f"only {entry.called!r} says {quoted(own)}"
        for entry, own in ((one, only_in(one.label, two.label)), (two, only_in(two.label, one.label)))
        if own
    ]
    if not said or not (subjects(one.label) and subjects(two.label)):
        return "merge the two, or say in each what sets it apart; their texts have no words that do"
    return f"say early what sets them apart, or merge them: {'; '.join(said)}"
