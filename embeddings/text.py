"""Forms of a phrase: folded for comparison, as words, as character n-grams."""

import re
import unicodedata
from typing import Final

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_SEPARATORS: Final = re.compile(r"[\s\-_/.,:;!?\"'`’()\[\]{}<>*#|]+")


def fold(text: str) -> str:
    """A phrase without case, compatibility forms, punctuation and doubled space: 'Sub-Agents?' -> 'sub agents'.

    A phrase of punctuation alone folds to its characters without spaces, so that it stays distinct from the empty one.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _SEPARATORS.sub(" ", plain).strip() or "".join(plain.split())


def words(text: str) -> list[str]:
    """The words of a phrase, case folded, in order."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
