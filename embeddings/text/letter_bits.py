"""Which letters words have, as bits, so that few of many words are compared letter by letter."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

LetterBits = npt.NDArray[np.uint32]
"""For each word, a bit for each letter that it has; several letters share a bit."""


def letter_bits(words: Sequence[str]) -> LetterBits:
    """Return the letters of words of the same length: uint32 (words,)."""
    codes = np.array(words).view(np.uint32).reshape(len(words), -1)
    bits: LetterBits = np.bitwise_or.reduce(np.left_shift(np.uint32(1), codes & np.uint32(31)), axis=1)
    return bits


def within_edits(bits: LetterBits, word: str, edits: int) -> list[int]:
    """Places of the words that can be so many edits away: an edit changes at most two letters."""
    differing = np.bitwise_count(bits ^ letter_bits([word]))
    return np.flatnonzero(differing <= 2 * edits).tolist()
