"""Tells whether a phrase is English: by its script, and by the small words and letters of a dozen other languages."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final, Literal

from embeddings.text.message.function_words import ENGLISH, IN_NAMES, OTHER
from embeddings.text.normalization import normalize

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NO_ENGLISH_LETTER: Final = re.compile(r"[¿¡ßøåæãõłşğıőűđươąęśźżćńřůěčšžțșăạ-ỹ]")
_SHORTEST: Final = 4
_LONGEST: Final = 20
"""Letters of words whose ending counts, or that they are unknown."""

LONGEST_READ: Final = 1000
"""Characters of a phrase that are read; more would not change what its language is."""

THRESHOLD: Final = 1.5
"""Evidence from which a phrase is not English, with these weights of a word or letter.

Chosen on 166 short phrases in 20 languages, of which 8 are missed ("pesquisar na internet"), and on English: of 3,159
queries of the benchmarks none is taken for another language, of 23,700 of CLINC150 one ("ahoy hoy").
"""

OTHER_WORD: Final = 2.0
NAME_WORD: Final = 0.6
ACCENTED: Final = 0.6
ENDING: Final = 0.8
UNKNOWN: Final = 0.3
LETTER: Final = 0.9
ENGLISH_WORD: Final = -2.0

_LISTED: Final = (
    dict.fromkeys(OTHER, OTHER_WORD) | dict.fromkeys(IN_NAMES, NAME_WORD) | dict.fromkeys(ENGLISH, ENGLISH_WORD)
)
"""Weights of listed words; a word of English counts as such in other lists, too."""

MOST_UNKNOWN: Final = 2
"""Words unknown to the model that count; names, code and typing errors are unknown, too."""

_ENDING: Final = re.compile(
    r".{3,}(?:[aei]re|[aei]r|[aei]ndo|[ai]d[ao]s?|mente|ci[oó]n|ciones|zion[ei]|cao|coes|ieren|ungen|ung|lich|keit|eur|euse"
    r"|ez|eaux?|ijk|heid|owac|mak|mek|[st]?ssa|iert)"
)


Script = Literal["latin", "other"]
"""The script of a phrase that is not English."""


def foreign_script(text: str, knows: Callable[[str], bool]) -> Script | None:
    """Tell the script of a phrase that is not English; None if it can be read as English.

    A phrase without evidence, such as a name or code, is taken as English. Takes 20 microseconds for a short phrase.

    Args:
        text: any text.
        knows: tells whether the model knows a lower-case word.
    """
    plain = normalize(text[:LONGEST_READ]).casefold()
    found = _WORD.findall(plain)
    if not plain.isascii():
        letters = "".join(found)
        other = sum(not ch.isascii() and not unicodedata.name(ch, "").startswith("LATIN") for ch in letters)
        if other * 2 > len(letters):
            return "other"
    return "latin" if _evidence(plain, found, knows) >= THRESHOLD else None


def _evidence(plain: str, found: list[str], knows: Callable[[str], bool]) -> float:
    letters = set() if plain.isascii() else set(_NO_ENGLISH_LETTER.findall(plain))
    weights = [_weight(word, knows) for word in set(found)]
    unknown = weights.count(UNKNOWN)
    surplus = UNKNOWN * max(0, unknown - MOST_UNKNOWN)
    return LETTER * len(letters) + sum(weights) - surplus


def _weight(found: str, knows: Callable[[str], bool]) -> float:
    word = found.replace("’", "'")
    if (listed := _LISTED.get(word)) is not None:
        return listed
    if not word.isascii():
        return ACCENTED
    if not _SHORTEST <= len(word) <= _LONGEST or knows(word):
        return 0.0
    return ENDING if _ENDING.fullmatch(word) else UNKNOWN
