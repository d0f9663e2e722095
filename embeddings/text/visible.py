"""Finds and removes characters that a reader would not see and that the text around them does not need."""

from collections.abc import Iterator
from typing import Final

from embeddings.text.invisible import all_visible, is_hidden
from embeddings.text.needed_marks import is_needed

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
