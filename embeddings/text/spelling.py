"""Corrects misspelt words with the words of a catalog."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Self

from rapidfuzz import process
from rapidfuzz.distance import OSA

from embeddings.text.normalization import words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    LetterBits = npt.NDArray[np.uint32]

SHORTEST_CORRECTED: Final = 4
"""Length of the shortest word that is corrected; shorter words have too many neighbours at an edit distance of 1."""

LONG_WORD: Final = 7
"""From this length on, an edit distance of 2 is allowed instead of 1."""

LONGEST_CORRECTED: Final = 400
"""Characters of the longest phrase that is corrected; a longer one has enough correct words to be understood."""


MAX_CORRECTED: Final = 100
"""Words of the longest phrase that is corrected. Of 400 characters there can be more when one stands for a sentence."""


FEW_WORDS: Final = 50
"""So many words are compared letter by letter sooner than their letters are compared first."""


class SpellingCorrector:
    """Replaces an unknown word by the nearest word of the catalog, if one is near enough."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Collect the words of `texts`; on a tie, the word that occurs in more texts wins."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(set(words(text)))
        self._use(counts)

    @classmethod
    def of_counts(cls, counts: Mapping[str, int]) -> Self:
        """Use words of which is known in how many texts each is."""
        corrector = cls(())
        corrector._use(counts)
        return corrector

    def _use(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._letters: dict[int, LetterBits] = {}
        self._by_length: dict[int, list[str]] = defaultdict(list)
        for word in sorted(self._counts):
            if counts_in_spelling(word):
                self._by_length[len(word)].append(word)

    def correct(self, text: str, known: Callable[[str], bool] = lambda _: False) -> str:
        """Return the phrase with unknown words corrected, in lower case; if none is corrected, the phrase unchanged.

        Args:
            text: a phrase; one of more than `LONGEST_CORRECTED` characters is returned unchanged.
            known: tells whether a word that is not in the catalog is correct all the same.
        """
        if len(text) > LONGEST_CORRECTED:
            return text
        found = words(text)
        if len(found) > MAX_CORRECTED:
            return text
        corrected = [self._nearest(word) if self._suspect(word, known) else word for word in found]
        return text if corrected == found else " ".join(corrected)

    def _suspect(self, word: str, known: Callable[[str], bool]) -> bool:
        return len(word) >= SHORTEST_CORRECTED and word.isalpha() and word not in self._counts and not known(word)

    def _with_letters(self, word: str, length: int, allowed: int) -> list[str]:
        """Return the words of a length that can be within an edit distance."""
        choices = self._by_length.get(length, [])
        if len(choices) < FEW_WORDS:
            return choices
        if (letters := self._letters.get(length)) is None:
            letters = self._letters[length] = letter_bits(choices)
        return [choices[place] for place in within_edits(letters, word, allowed)]

    def _nearest(self, word: str) -> str:
        allowed = 2 if len(word) >= LONG_WORD else 1
        near = [
            hit
            for length in range(len(word) - allowed, len(word) + allowed + 1)
            for hit in process.extract(
                word, self._with_letters(word, length, allowed), scorer=OSA.distance, score_cutoff=allowed, limit=None
            )
            if not _is_longer(word, hit[0])
        ]
        if not near:
            return word
        # Typing errors are rare in the first letter, so a different first letter counts as 1 more edit. On a tie, the
        # word in more texts wins, then the first in the alphabet.
        best = min(near, key=lambda hit: (hit[1] + (hit[0][0] != word[0]), -self._counts[hit[0]], hit[0]))
        return str(best[0])


def _is_longer(word: str, other: str) -> bool:
    """Return whether a word is another one with more before or after it ("gmail", "sticker"), and so no slip."""
    return word[1:] == other or (len(word) >= len(other) + 2 and word.startswith(other))


def counts_in_spelling(word: str) -> bool:
    """Return whether a word of a catalog is one that others are corrected to."""
    return len(word) >= SHORTEST_CORRECTED - 1 and word.isalpha()


# numpy is imported in these two because a server corrects names of agents, which are few, before it loads numpy.


def letter_bits(words: Sequence[str]) -> "LetterBits":
    """Return the letters of words of the same length: uint32 (words,), a bit for each letter; several share a bit."""
    import numpy as np

    codes = np.array(words).view(np.uint32).reshape(len(words), -1)
    bits: LetterBits = np.bitwise_or.reduce(np.left_shift(np.uint32(1), codes & np.uint32(31)), axis=1)
    return bits


def within_edits(bits: "LetterBits", word: str, edits: int) -> list[int]:
    """Return the places of the words that can be so many edits away: an edit changes at most two letters."""
    import numpy as np

    differing = np.bitwise_count(bits ^ letter_bits([word]))
    return np.flatnonzero(differing <= 2 * edits).tolist()
