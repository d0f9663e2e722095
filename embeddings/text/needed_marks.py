"""The few places where a character that is invisible by itself is needed by the text around it."""

import re
import unicodedata
from functools import cache
from typing import Final

from embeddings.text.invisible import character_class

_PICTOGRAPHS: Final = """
A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6 25C0
25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E
2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299
1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F
1F232-1F23A 1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F
1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD
"""
"""Code points with the property Extended_Pictographic, from emoji-data.txt of Unicode 14.0.0."""

_SELECTORS: Final = frozenset("\ufe0e\ufe0f")
"""They show the character before them as text or as an emoji. All other variation selectors are refused."""

_NON_JOINER: Final = "\u200c"
_JOINER: Final = "\u200d"

_KEYCAP_BASES: Final = frozenset("#*0123456789")
_KEYCAP: Final = "\u20e3"

_VIRAMA: Final = 9
"""The combining class of the signs that take a letter's vowel away, in the scripts of India and its neighbours."""

_ARABIC: Final = re.compile("[\u0620-\u06ff\u0750-\u077f\u0870-\u08ff]")


def is_needed(text: str, position: int) -> bool:
    """Whether the character at a position, invisible by itself, is needed there.

    These are needed: the selector of an emoji or a keycap; the joiner between parts of an emoji; in words, joiners
    where RFC 5892 (A.1 and A.2) permits them (after a virama, and between letters of Arabic script), and also before a
    virama, as Bengali and Kannada use them. Tags are never needed: they form the flags of England, Scotland and Wales,
    but can spell any text.
    """
    mark, before, after = text[position], text[max(0, position - 2) : position], text[position + 1 : position + 2]
    if mark in _SELECTORS:
        return _pictographs().match(before[-1:]) is not None or (before[-1:] in _KEYCAP_BASES and after == _KEYCAP)
    if mark == _JOINER:
        joins_emoji = _emoji().search(before) is not None and _pictographs().match(after) is not None
        return joins_emoji or _is_virama(before[-1:]) or (_is_letter(before[-1:]) and _is_virama(after))
    if mark == _NON_JOINER:
        return _is_virama(before[-1:]) or (_is_arabic(before[-1:], "Lo", "Lm", "Mn") and _is_arabic(after, "Lo", "Lm"))
    return False


@cache
def _pictographs() -> re.Pattern[str]:
    ranges = [part.partition("-") for part in _PICTOGRAPHS.split()]
    return re.compile(character_class((int(first, 16), int(last or first, 16)) for first, _, last in ranges))


@cache
def _emoji() -> re.Pattern[str]:
    """Matches the end of an emoji, with its selector or skin tone."""
    return re.compile(_pictographs().pattern + "[\ufe0f\U0001f3fb-\U0001f3ff]?\\Z")


def _is_virama(character: str) -> bool:
    return character != "" and unicodedata.combining(character) == _VIRAMA


def _is_letter(character: str) -> bool:
    return character != "" and unicodedata.category(character) == "Lo"


def _is_arabic(character: str, *categories: str) -> bool:
    return _ARABIC.match(character) is not None and unicodedata.category(character) in categories
