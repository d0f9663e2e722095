"""Functions of pooled sets that do the same under two names, so that either is right."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from benchmarks.sets.labelled_set import LabelledSet
from embeddings.labels.label import Label
from embeddings.metrics import LabelledQuery
from embeddings.text.words import stems

ALIKE: Final = 0.5
"""Share of common words, of all words of two names and descriptions, from which two functions are twins."""


def with_twins(read: LabelledSet, apart: Iterable[frozenset[str]] = ()) -> LabelledSet:
    """Add to each query the twins of the labels that serve it.

    Args:
        read: a set whose functions were written for one query each and are pooled.
        apart: sets of names that were offered together; they are not twins of each other.
    """
    twins = _twins(read.labels, apart)
    return replace(read, queries=tuple(_widened(query, twins) for query in read.queries))


def _widened(query: LabelledQuery, twins: dict[str, list[str]]) -> LabelledQuery:
    names = [twin for name in query.gold for twin in (name, *twins[name])]
    return replace(query, gold=tuple(dict.fromkeys(names)))


def _twins(labels: tuple[Label, ...], apart: Iterable[frozenset[str]]) -> dict[str, list[str]]:
    words = {label.name: set(stems(f"{label.name} {label.description}")) for label in labels}
    together: dict[str, set[str]] = {name: set() for name in words}
    for names in apart:
        for name in names & together.keys():
            together[name] |= names
    return {
        name: [
            other
            for other, theirs in words.items()
            if other != name and other not in together[name] and len(own & theirs) >= ALIKE * len(own | theirs)
        ]
        for name, own in words.items()
    }
