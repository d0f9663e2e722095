"""Normalizes phrases: folded for comparison, or split into words or sentences."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_SEPARATORS: Final = re.compile(r"[\s\-_/.,:;!?\"'`’()\[\]{}<>*#|]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")

MAX_SENTENCES: Final = 20
"""Maximum sentences of one text that are used separately."""

MAX_MARKS: Final = 30
"""Maximum combining marks kept in a run, as in Unicode's Stream-Safe Text Format (UAX #15, section 13). Normalizing
sorts the marks of a run in quadratic time: 20,000 marks take 0.7 s."""


KEPT: Final = 8
"""Texts whose folded form and words are kept, because several signals of one message need them."""

LONGEST_KEPT: Final = 400
"""Characters of the longest text that is kept."""

_BECOME_MARKS: Final = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
"""Characters that are not combining marks but whose compatibility decomposition begins with one."""


def normalize(text: str) -> str:
    """Normalize a text to NFKC, dropping the marks of a run beyond `MAX_MARKS`; takes linear time."""
    return unicodedata.normalize("NFKC", text if text.isascii() else _without_long_runs_of_marks(text))


def fold(text: str) -> str:
    """Remove case, compatibility forms, punctuation and repeated spaces: 'Sub-Agents?' -> 'sub agents'.

    A phrase of punctuation alone keeps its characters, without spaces, so that it stays distinct from the empty phrase.
    """
    return _kept_fold(text) if len(text) <= LONGEST_KEPT else _fold(text)


def words(text: str) -> list[str]:
    """List the words of a phrase, case folded, in order."""
    return [*_kept_words(text)] if len(text) <= LONGEST_KEPT else _words(text)


def _fold(text: str) -> str:
    # Case folding can break the normal form, and normalizing can produce capitals again.
    plain = text.lower() if text.isascii() else normalize(normalize(text).casefold()).casefold()
    return _SEPARATORS.sub(" ", plain).strip() or "".join(plain.split())


def _words(text: str) -> list[str]:
    return _WORD.findall(normalize(text).casefold())


@lru_cache(maxsize=KEPT)
def _kept_fold(text: str) -> str:
    return _fold(text)


@lru_cache(maxsize=KEPT)
def _kept_words(text: str) -> tuple[str, ...]:
    return tuple(_words(text))


def sentences(text: str) -> list[str]:
    """List the sentences of two or more words of a text; an empty list if there are fewer than two."""
    parts = [part.strip() for part in _SENTENCE_END.split(text) if len(part.split()) > 1]
    return parts[:MAX_SENTENCES] if len(parts) > 1 else []


def _without_long_runs_of_marks(text: str) -> str:
    if len(text) <= MAX_MARKS or not _has_marks(text):
        return text
    kept, run = [], 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) or character in _BECOME_MARKS else 0
        if run <= MAX_MARKS:
            kept.append(character)
    return text if len(kept) == len(text) else "".join(kept)


def _has_marks(text: str) -> bool:
    return any(map(unicodedata.combining, text)) or not _BECOME_MARKS.isdisjoint(text)
