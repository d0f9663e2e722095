"""Which characters a reader does not see, and how to spell them out."""

import re
import unicodedata
from collections.abc import Iterable
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
    """A regular expression that matches one character of the ranges, both ends included."""
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


_IGNORABLE: Final = re.compile(character_class(DEFAULT_IGNORABLE))


def is_hidden(character: str) -> bool:
    """Whether a reader does not see a character, or cannot know what it shows. Newline and tab count as hidden, too."""
    return unicodedata.category(character) in _HIDDEN_CATEGORIES or _IGNORABLE.match(character) is not None


def all_visible(text: str) -> bool:
    """Whether a text has no hidden character. False may also mean a space of another width, or a newline.

    It is faster than checking each character: a start reads thousands of texts.
    """
    return text.isprintable() and (text.isascii() or _IGNORABLE.search(text) is None)


def escaped(text: str) -> str:
    r"""A text on one line with its hidden characters spelled out, as `\n` or `\u202e`; backslashes stay as they are."""
    if all_visible(text):
        return text
    return "".join(_spelled(character) if is_hidden(character) else character for character in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
