"""Names and aliases by their folded words: the whole phrase, or a run of words within it."""

from collections import defaultdict
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.phrase_book import PhraseBook
from embeddings.text import fold

LONGEST_RUN: Final = 6
"""Words of the longest run looked up; no curated alias is longer."""

LONGEST_SEARCHED: Final = 100
"""Words of a phrase that are searched for names."""


class NameIndex:
    """Finds the labels that a phrase names outright, and those whose names it shares words with."""

    def __init__(self, book: PhraseBook) -> None:
        """Index the names and aliases of a book."""
        self._size = len(book.labels)
        self._names = {fold(label.name): index for index, label in enumerate(book.labels)}
        aliases: dict[str, set[int]] = defaultdict(set)
        self._parts: dict[str, dict[int, int]] = defaultdict(dict)
        for index, label in enumerate(book.labels):
            for text in (label.name, *label.aliases):
                folded = fold(text)
                if folded:
                    aliases[folded].add(index)
                    self._add_parts(folded, index)
        self._aliases = {text: sorted(found) for text, found in aliases.items()}

    def _add_parts(self, folded: str, index: int) -> None:
        """Remember, for each run of words in a name, the length of the shortest name of the label that has it."""
        for run in _runs(folded.split()):
            known = self._parts[run].get(index)
            self._parts[run][index] = min(len(folded), known) if known else len(folded)

    def named(self, phrase: str) -> int | None:
        """The label whose name the phrase is, case and punctuation aside."""
        return self._names.get(fold(phrase))

    def aliased(self, phrase: str) -> list[int]:
        """The labels that have the phrase as an alias; more than one where it is shared."""
        return self._aliases.get(fold(phrase), [])

    def overlaps(self, phrase: str, besides: str | None = None) -> npt.NDArray[np.float32]:
        """How much of a phrase is a label's name or alias, or how much of such a name the phrase is.

        The length of the shared run of words over that of the longer one, where the run is all of the other.

        Args:
            phrase: any text.
            besides: a folded text that is not to count as a name, for measuring an alias as if it were unknown.

        Returns:
            float32 (labels,) in [0, 1].
        """
        found = np.zeros(self._size, dtype=np.float32)
        folded_words = fold(phrase).split()[:LONGEST_SEARCHED]
        whole = " ".join(folded_words)
        for run in _runs(folded_words):
            if run == besides:
                continue
            for index in self._aliases.get(run, ()):
                found[index] = max(found[index], len(run) / len(whole))
        if whole != besides:
            for index, length in self._parts.get(whole, {}).items():
                found[index] = max(found[index], len(whole) / length)
        return found


def _runs(folded_words: list[str]) -> list[str]:
    """Every run of one to `LONGEST_RUN` words."""
    count = len(folded_words)
    return [
        " ".join(folded_words[start:end])
        for start in range(count)
        for end in range(start + 1, min(start + LONGEST_RUN, count) + 1)
    ]
