"""Looks up names and aliases by their folded words, as the whole phrase or as a run of words within it."""

from collections import defaultdict
from collections.abc import Container, Sequence
from typing import Final, Literal

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.text.normalization import fold

LONGEST_RUN: Final = 6
"""Maximum words in a run that is looked up; no curated alias is longer."""

LONGEST_SEARCHED: Final = 100
"""Number of words of a phrase that are searched for names."""


class NameIndex:
    """Finds the labels whose name or alias is the phrase, and those that share words with it."""

    def __init__(self, labels: Sequence[tuple[str, Sequence[str]]], ids: Sequence[str] = ()) -> None:
        """Index labels.

        Args:
            labels: each label's name and aliases.
            ids: each label's id, which may be empty (default: no label has one).
        """
        self._size = len(labels)
        self._spelled = [{name, *ids[index : index + 1]} for index, (name, _) in enumerate(labels)]
        self._ids = {identity: index for index, identity in enumerate(ids) if identity}
        self._names: dict[str, list[int]] = defaultdict(list)
        aliases: dict[str, set[int]] = defaultdict(set)
        self._parts: dict[str, dict[int, int]] = defaultdict(dict)
        for index, (name, known_as) in enumerate(labels):
            folded_name, *folded_aliases = map(fold, (name, *known_as))
            self._names[folded_name].append(index)
            for folded in filter(None, (folded_name, *folded_aliases)):
                aliases[folded].add(index)
                self._add_parts(folded, index)
        self._aliases = {text: sorted(found) for text, found in aliases.items()}

    def _add_parts(self, folded: str, index: int) -> None:
        """Store, for each run of words in a name, the length of the label's shortest name or alias that contains it."""
        length = len(folded)
        for run in runs(folded.split()):
            known = self._parts[run]
            known[index] = min(length, known.get(index, length))

    @property
    def shared(self) -> frozenset[str]:
        """Names that several labels have, ignoring case and punctuation; folded."""
        return frozenset(name for name, labels in self._names.items() if len(labels) > 1)

    def lookup(self, phrase: str) -> tuple[list[int], Literal["exact", "alias"]]:
        """Return the labels that a phrase names, several if they share the name, and whether it is an alias.

        Names and aliases are compared without case and punctuation. Labels whose names fold alike are told apart by a
        phrase that is spelled exactly as the name or the id of one of them. An id counts only if it is given exactly.
        """
        folded, spelled = fold(phrase), phrase.strip()
        named = self._names.get(folded, [])
        if len(named) > 1:
            told_apart = [index for index in named if spelled in self._spelled[index]]
            return (told_apart if len(told_apart) == 1 else named), "exact"
        if named:
            return named, "exact"
        if folded in self._aliases:
            return self._aliases[folded], "alias"
        return ([self._ids[spelled]] if spelled in self._ids else []), "exact"

    def overlaps(self, phrase: str, besides: str | None = None) -> FloatArray:
        """Measure how much of a phrase is a label's name or alias, or how much of a name or alias the phrase is.

        If one contains the other as a run of words, the overlap is the length of the shorter over that of the longer.

        Args:
            phrase: any text.
            besides: a folded text that does not count as a name; used to measure an alias as if it were unknown.

        Returns:
            float32 (labels,) in [0, 1].
        """
        found = np.zeros(self._size, dtype=np.float32)
        folded_words = fold(phrase).split()[:LONGEST_SEARCHED]
        whole = " ".join(folded_words)
        # Every word of a name is among the parts, so that most runs need not be looked up.
        for run in runs(folded_words, self._parts):
            if run == besides:
                continue
            for index in self._aliases.get(run, ()):
                found[index] = max(found[index], len(run) / len(whole))
        if whole != besides:
            for index, length in self._parts.get(whole, {}).items():
                found[index] = max(found[index], len(whole) / length)
        return found


def runs(folded_words: list[str], known: Container[str] | None = None) -> list[str]:
    """List every run of one to `LONGEST_RUN` words; only of known words, if it is told which are known."""
    limit = len(folded_words)
    ends = []
    for place in range(limit - 1, -1, -1):
        if known is not None and folded_words[place] not in known:
            limit = place
        ends.append(min(place + LONGEST_RUN, limit))
    return [
        " ".join(folded_words[start:end])
        for start, last in enumerate(reversed(ends))
        for end in range(start + 1, last + 1)
    ]
