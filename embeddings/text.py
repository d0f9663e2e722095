"""Forms of a phrase: folded for comparison, as words, as character n-grams."""

import re
import unicodedata
from typing import Final

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_SEPARATORS: Final = re.compile(r"[\s\-_/.,:;!?\"'`’()\[\]{}<>*#|]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")

MOST_SENTENCES: Final = 20
"""Sentences of one text that are looked at by themselves."""


def fold(text: str) -> str:
    """A phrase without case, compatibility forms, punctuation and doubled space: 'Sub-Agents?' -> 'sub agents'.

    A phrase of punctuation alone folds to its characters without spaces, so that it stays distinct from the empty one.
    """
    # Folding case can undo the normal form, and the normal form can bring capitals back.
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).casefold()
    return _SEPARATORS.sub(" ", plain).strip() or "".join(plain.split())


def words(text: str) -> list[str]:
    """The words of a phrase, case folded, in order."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def sentences(text: str) -> list[str]:
    """The sentences of a text that has more than one; an empty list for one that has not."""
    parts = [part.strip() for part in _SENTENCE_END.split(text) if len(part.split()) > 1]
    return parts[:MOST_SENTENCES] if len(parts) > 1 else []
