"""Whether a text may be English."""

import unicodedata
from typing import Final

LEAST_LATIN: Final = 0.5
"""Least share of a text's letters that must be Latin: a query in English may quote some words of another script."""


def is_english(text: str) -> bool:
    """Whether at least half of a text's letters are Latin; true for a text without letters."""
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return latin >= LEAST_LATIN * len(letters)
