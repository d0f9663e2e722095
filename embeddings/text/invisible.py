"""Finds characters that a reader does not see, and spells them out."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

DEFAULT_IGNORABLE: Final = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""First and last code points with the property Default_Ignorable_Code_Point, which programs do not draw.

From DerivedCoreProperties.txt of the Unicode Character Database, version 14.0.0: 4,174 code points. Python's
`unicodedata` does not have the property.
"""

_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
"""Control and format characters, halves of surrogate pairs, unassigned and private code points, line separators.

What an unassigned or a private code point shows, if anything, depends on the font, so nobody can review it.
"""


def character_class(ranges: Iterable[tuple[int, int]]) -> str:
    """Return a regular expression that matches one character of the ranges, both ends included."""
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


_IGNORABLE: Final = re.compile(character_class(DEFAULT_IGNORABLE))


def is_hidden(character: str) -> bool:
    """Return whether a reader does not see a character, or cannot know what it shows.

    Newline and tab count as hidden, too.
    """
    return unicodedata.category(character) in _HIDDEN_CATEGORIES or _IGNORABLE.match(character) is not None


def all_visible(text: str) -> bool:
    """Return whether a text has no hidden character. False may also mean a space of another width, or a newline.

    It is faster than checking each character: a start reads thousands of texts.
    """
    return text.isprintable() and (text.isascii() or _IGNORABLE.search(text) is None)


def escaped(text: str) -> str:
    r"""Return a text on one line with its hidden characters spelled out, as `\n` or `\u202e`.

    Backslashes stay as they are.
    """
    if all_visible(text):
        return text
    return "".join(_spelled(character) if is_hidden(character) else character for character in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


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
    """Return whether the character at a position, invisible by itself, is needed there.

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


_LAYOUT: Final = frozenset("\n\t")
"""Control characters that a text of several lines may hold."""


def first_hidden(text: str, *, one_line: bool) -> int | None:
    """Return the position of the first hidden character; in a text of one line, newline and tab count as hidden."""
    return next(_hidden(text, one_line=one_line), None)


def visible(text: str, *, one_line: bool) -> str:
    """Return the text without its hidden characters; in a text of one line, newline and tab become spaces."""
    if all_visible(text):
        return text
    plain = text.translate(_SPACES) if one_line else text.replace("\r\n", "\n")
    # Removing a character can leave another without the one that it was needed by.
    while gone := set(_hidden(plain, one_line=one_line)):
        plain = "".join(character for position, character in enumerate(plain) if position not in gone)
    return plain


_SPACES: Final = str.maketrans("\r\n\t", "   ")


def _hidden(text: str, *, one_line: bool) -> Iterator[int]:
    """Yield the positions of hidden characters."""
    if all_visible(text):
        return
    fine = frozenset[str]() if one_line else _LAYOUT
    for position, character in enumerate(text):
        if character not in fine and is_hidden(character) and not is_needed(text, position):
            yield position
