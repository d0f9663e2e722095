"""Estimates how many cl100k tokens a text has, without the tokenizer, which is not among the server's dependencies."""

import re
from typing import Final

_PIECES: Final = re.compile(r"(?P<word>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<space> )|(?P<other>.)", re.DOTALL)
_VOWEL: Final = re.compile(r"(?i)[aeiouy]")
_CONSONANTS: Final = re.compile(r"(?i)[^aeiouy]{4}")


def estimated_tokens(text: str) -> int:
    """An estimate of the cl100k tokens of a text; for names and English it is above the count."""
    return sum(_tokens(piece) for piece in _PIECES.finditer(text))


def is_pronounceable(word: str) -> bool:
    """Whether a word looks like one of a language, which few tokens spell."""
    return _VOWEL.search(word) is not None and _CONSONANTS.search(word) is None


def _tokens(piece: re.Match[str]) -> int:
    text = piece[0]
    if piece["word"]:
        return -(-len(text) // 3) if is_pronounceable(text) else len(text)
    if piece["digits"]:
        return -(-len(text) // 3)
    # A space belongs to the word after it.
    return 0 if piece["space"] else len(text.encode("utf-8", "surrogatepass"))
