"""Checks one query that a model wrote: whether it can be an example, and if not, why."""

import re
from collections.abc import Iterable
from typing import Final, Literal

from rapidfuzz import fuzz, process

from embeddings.text.invisible import is_hidden
from embeddings.text.message.language import foreign_script
from embeddings.text.needed_marks import is_needed
from embeddings.text.normalization import fold

Dropped = Literal["blank", "too_long", "hidden_characters", "refusal", "not_english", "name", "near_copy", "surplus"]
"""Why a query is not used: it has no words; it is longer than a query; it has characters that a reader does not see;
it declines to write a query; it is not English; it is the name or alias of a label; it is nearly the same as another
text; there are as many queries as were wanted already."""

MOST_CHARACTERS: Final = 300
"""Maximum characters of a query. Of the 10,546 shipped phrasings, the longest has 122."""

NEAR_COPY: Final = 85.0
"""Least similarity (rapidfuzz's ratio of the folded and sorted words, 0 to 100) of near copies. Of the 10,546 shipped
phrasings, which were edited to have no copies, 8 have a phrasing of the same label as near as that, such as "coverage
of many programming languages" and "programming language coverage"; as
near as 80, where parts of the meaning differ, 33."""

_REFUSAL: Final = re.compile(
    r"(\bas an? (ai|artificial|large)\b"
    r"|\bsorry,? (but )?i('m| am)? (can('|no)?t|cannot|can not|won't|unable|not able)\b"
    r"|^(unfortunately,? )?i (can't|cannot|can not|won't|am unable to|am not able to) (assist|comply|fulfil+)\b)",
    re.IGNORECASE,
)
_APOSTROPHES: Final = str.maketrans("’ʼ", "''")


class SeenTexts:
    """Texts that new ones must not repeat."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Start with some texts."""
        self._texts = [_with_sorted_words(text) for text in texts]

    def add(self, text: str) -> None:
        """Add a text."""
        self._texts.append(_with_sorted_words(text))

    def has_near_copy(self, text: str) -> bool:
        """Whether a text is nearly the same as one of them, with its words in any order."""
        found = process.extractOne(_with_sorted_words(text), self._texts, scorer=fuzz.ratio, score_cutoff=NEAR_COPY)
        return found is not None


def _with_sorted_words(text: str) -> str:
    return " ".join(sorted(fold(text).split()))


def cleaned(text: str) -> str:
    """A query on one line, without spaces at its ends."""
    return " ".join(text.split())


def fault(query: str, names: frozenset[str], seen: SeenTexts) -> Dropped | None:
    """Why a cleaned query cannot be an example; None if it can.

    Args:
        query: the query.
        names: folded names and aliases of all labels.
        seen: texts that it must not repeat.
    """
    unfit = _fault_of_text(query)
    if unfit is None and fold(query) in names:
        return "name"
    if unfit is None and seen.has_near_copy(query):
        return "near_copy"
    return unfit


def _fault_of_text(query: str) -> Dropped | None:
    if not any(character.isalnum() for character in query):
        return "blank"
    if len(query) > MOST_CHARACTERS:
        return "too_long"
    if any(is_hidden(character) and not is_needed(query, place) for place, character in enumerate(query)):
        return "hidden_characters"
    if is_refusal(query):
        return "refusal"
    # Whether the model knows a word is left open, as a catalog is enriched without the model, too.
    return "not_english" if foreign_script(query, lambda _: True) else None


def is_refusal(text: str) -> bool:
    """Whether a text declines to write queries."""
    return _REFUSAL.search(text.translate(_APOSTROPHES)) is not None
