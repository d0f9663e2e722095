"""Misspelt words put right from the words of a catalog."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from embeddings.text import words

SHORTEST_CORRECTED: Final = 4
"""Shorter words have too many neighbours at one letter's distance."""

LONG_WORD: Final = 7
"""From this length on, two slips are forgiven instead of one."""

LONGEST_CORRECTED: Final = 400
"""A longer phrase has enough other words to be understood by."""


class SpellingCorrector:
    """Replaces a word nobody knows by the nearest word of the catalog, if one is near enough."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Learn the words of `texts`; a word that is in more of them wins a tie."""
        self._counts: Counter[str] = Counter()
        for text in texts:
            self._counts.update(set(words(text)))
        self._by_length: dict[int, list[str]] = defaultdict(list)
        for word in sorted(self._counts):
            if len(word) >= SHORTEST_CORRECTED - 1 and word.isalpha():
                self._by_length[len(word)].append(word)

    def correct(self, text: str, known: Callable[[str], bool] = lambda _: False) -> str:
        """The phrase with unknown words corrected, folded to lower case; the same phrase when nothing changes.

        Args:
            text: a phrase; one of more than `LONGEST_CORRECTED` characters comes back as it is.
            known: says whether a word that the catalog lacks is a word all the same.
        """
        if len(text) > LONGEST_CORRECTED:
            return text
        found = words(text)
        corrected = [self._nearest(word) if self._suspect(word, known) else word for word in found]
        return text if corrected == found else " ".join(corrected)

    def _suspect(self, word: str, known: Callable[[str], bool]) -> bool:
        return len(word) >= SHORTEST_CORRECTED and word.isalpha() and word not in self._counts and not known(word)

    def _nearest(self, word: str) -> str:
        allowed = 2 if len(word) >= LONG_WORD else 1
        choices = [
            choice
            for length in range(len(word) - allowed, len(word) + allowed + 1)
            for choice in self._by_length.get(length, ())
        ]
        near = process.extract(word, choices, scorer=OSA.distance, score_cutoff=allowed, limit=None)
        if not near:
            return word
        # Slips seldom hit the first letter; then nearer, then commoner, then the alphabet.
        best = min(near, key=lambda hit: (hit[1] + (hit[0][0] != word[0]), -self._counts[hit[0]], hit[0]))
        return str(best[0])
