"""Finds labels that plain language does not reach: unreachable and thin ones, and pairs that are confused."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from embeddings.arrays import FloatArray
from embeddings.labels.label import Label
from embeddings.preflight.evidence import Evidence, Query
from embeddings.preflight.finding import Confusion, Finding, Rule, Severity
from embeddings.preflight.reading import Entry
from embeddings.text.normalization import words
from embeddings.text.words import spoken, stems

# The limits of this module were chosen on five catalogs of 48 to 60 labels, with thirty faults planted in three of them
# by an author who did not see these rules, and on the 176 tools of 13 published MCP servers.

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

NEARLY_ALIKE: Final = 0.7
"""`ALIKE` for a note where a label has so few examples that what moves between them says little: at most 0.69 in the
faultless catalog of tools, 0.72 for "Return" and "Refund" among 25 subjects of messages to a shop."""


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
        alike = float(self.alike[first, second])
        if one.by_examples and two.by_examples:
            few = min(len(one.queries), len(two.queries)) <= ENOUGH
            return "note" if slightly or (few and alike >= NEARLY_ALIKE) else None
        moves = there + back >= MOVED_PARTS
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


_MAX_WORDS: Final = 4

GENERIC: Final = frozenset(
    stems(
        "do make run execute perform handle process manage support help assist deal work use provide set start stop "
        "return call invoke apply allow enable give take thing stuff item object data information info detail record "
        "entry value input output result request response case matter issue topic content resource service system tool "
        "function feature operation action task job option parameter argument main default general various "
        "several different more other misc miscellaneous utility util helper common basic simple standard custom "
        "specific relevant related relevance requested supplied given necessary required needed something anything "
        "everything etc type kind user name id test method processing handler manager"
    )
)
"""Stems of words that fit any label and so name no subject."""


def subjects(label: Label) -> list[str]:
    """Return the stems of a label's name, aliases, description and fields' names that are not generic, each once."""
    return [stem for stem in _own_stems(label) if stem not in GENERIC]


def generic_share(label: Label) -> float:
    """Share of generic words among the different words of a label's name, aliases and description; 1 if it has none."""
    own = _own_stems(label)
    return sum(stem in GENERIC for stem in own) / len(own) if own else 1.0


def _own_stems(label: Label) -> list[str]:
    return list(dict.fromkeys(stems(" ".join((spoken(label.name), *label.aliases, label.description)))))


def only_in(label: Label, other: Label) -> list[str]:
    """Return the first words that only the one label's texts have, most of them nouns and verbs of its subject."""
    known = {*GENERIC, *stems(" ".join(_texts(other)))}
    found = []
    for word in words(" ".join(_texts(label))):
        own = stems(word)
        if own and not known.intersection(own):
            found.append(word)
            known.update(own)
    return found[:_MAX_WORDS]


def _texts(label: Label) -> Iterable[str]:
    return (spoken(label.name), *label.aliases, label.description, *label.phrasings)


def quoted(found: Iterable[str]) -> str:
    """Words in quotation marks, joined by commas."""
    return ", ".join(f"'{word}'" for word in found)


ENOUGH: Final = 3
"""Queries from which on a share of them says something."""

REACHED: Final = 0.5
"""Share of a label's examples that should have it among the first three: with scattered examples it was 0, in the
faultless catalog at least 0.75, in the others at least 0.5."""

GENERIC_SHARE: Final = 0.7
"""Share of generic words in a label without examples from which on it is thin: at least 0.75 for planted ones."""

LIKELY: Final = 0.3
"""Probability that a query for such a label reaches if it names a subject all the same: at most 0.16 for planted ones,
unless they have generic words only."""

FOUND: Final = 0.5
"""Probability from which on a query that finds a thin label does not show that it is thin."""

IMPROBABLE: Final = 0.05
"""Probability that no query for a label exceeds, for a note."""


class Reach:
    """Judges labels one by one, by what the queries for each of them found."""

    def __init__(self, entries: Sequence[Entry], evidence: Sequence[Evidence]) -> None:
        """Judge these labels, each with its evidence."""
        self.entries = entries
        self.evidence = evidence
        described = sum(bool(entry.label.description or entry.label.phrasings) for entry in entries)
        self._most_are_described = described > len(entries) / 2

    def find(self) -> Iterator[Finding]:
        """Find labels that are thin or unreachable; one that is thin is not called unreachable."""
        for place in range(len(self.entries)):
            finding = self._thin(place) or self._unreachable(place)
            if finding:
                yield finding

    def _thin(self, place: int) -> Finding | None:
        found, entry = self.evidence[place], self.entries[place]
        label = entry.label
        if label.phrasings:
            return None
        share, best = generic_share(label), max((query.own for query in found.queries), default=0.0)
        if share >= GENERIC_SHARE:
            advice = "say what it is about: its words would fit any label"
            severity: Severity = "warning" if share == 1 or best < LIKELY else "note"
            return self._finding("thin", severity, place, advice, _worst(found))
        if label.description:
            return None
        severity = "warning" if self._most_are_described else "note"
        return self._finding("thin", severity, place, "add a description: it has a name only", _worst(found))

    def _unreachable(self, place: int) -> Finding | None:
        found = self.evidence[place]
        if found.by_examples and len(found.queries) >= ENOUGH and found.found < REACHED:
            advice = "give examples of one need, near to its name and description; its own lead elsewhere"
            return self._finding("unreachable", "warning" if found.found else "error", place, advice, _worst(found))
        if found.by_examples or not found.queries:
            return None
        advice = "let name and description say the same thing; each of its texts leads elsewhere"
        lost = all(query.place >= ENOUGH for query in found.queries)
        if lost and len(found.queries) > ENOUGH:
            return self._finding("unreachable", "warning", place, advice, _worst(found))
        if lost and max(query.own for query in found.queries) < IMPROBABLE:
            return self._finding("unreachable", "note", place, advice, _worst(found))
        return None

    def _finding(self, rule: Rule, severity: Severity, place: int, advice: str, worst: Query | None) -> Finding:
        entry = self.entries[place]
        finding = Finding(rule, severity, entry.called, advice, entry.pointer, texts=entry.judged)
        if worst is None or (rule == "thin" and worst.own >= FOUND):
            return finding
        if rule == "thin":
            return replace(finding, phrase=worst.text, probability=worst.own)
        return replace(finding, other=self.entries[worst.other].called, phrase=worst.text, probability=worst.moved)


def _worst(found: Evidence) -> Query | None:
    """Return the main query that finds the label least."""
    return min(found.main, key=lambda query: query.own, default=None)
