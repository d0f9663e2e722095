"""What a data folder's texts may hold: they end up in a model's context, so none may hide anything or flood it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from server.errors import brief

LONGEST_NAME: Final = 200
"""Characters of a name, a category or an alias; the shipped data's longest, an agent's own terms, has 66."""

LONGEST_TEXT: Final = 4_000
"""Characters of any other text; the shipped data's longest, a description, has 377."""

LONGEST_URL: Final = 2_000
"""Characters of an address; the shipped data's longest has 149."""

LONGEST_LIST: Final = 50
"""Items of a list; the shipped data's longest, one entry's sources, has 8."""

NAMES: Final = frozenset({"name", "category", "terminology", "vendor", "version", "last_updated"})
URLS: Final = frozenset({"url", "start_url"})
LISTS_OF_ANY_LENGTH: Final = frozenset({"capabilities", "phrasings", "out_of_scope"})
"""What grows with the catalog itself; no answer carries the whole of it as one entry's."""

_HIDING_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs"})
"""Control characters, format characters (bidi controls, zero width, tags), and halves of surrogate pairs."""

_VARIATION_SUPPLEMENT: Final = re.compile("[\U000e0100-\U000e01ef]")
"""Marks without a look of their own, enough of them to spell out bytes."""

Location = tuple[int | str, ...]


@dataclass(frozen=True)
class Fault:
    """A value that is refused.

    Attributes:
        location: keys and positions that lead to it.
        message: what is there, the rule, and what to do.
    """

    location: Location
    message: str


def first_fault(value: object, field: str = "", location: Location = ()) -> Fault | None:
    """The first text or list, in a model or in a table, that is refused.

    Args:
        value: a model, or a part of one.
        field: the model's field that it is in, by which limits are chosen; of a table's values, its own.
        location: of the value.
    """
    if isinstance(value, str):
        message = _of_text(value, field)
        return Fault(location, message) if message else None
    message = _of_list(value, field)
    if message:
        return Fault(location, message)
    if _all_plain(value, field):
        return None
    for key, part, its_field in _parts(value, field):
        fault = first_fault(part, its_field, (*location, key))
        if fault:
            return fault
    return None


def _all_plain(value: object, field: str) -> bool:
    """Whether a list holds nothing but short texts that show all they hold; told at once: a start reads thousands."""
    if not isinstance(value, tuple) or field in URLS or not all(isinstance(part, str) for part in value):
        return False
    joined = "".join(value)
    return _hiding(joined) is None and max(map(len, value), default=0) <= LONGEST_NAME


def _parts(value: object, field: str) -> Iterator[tuple[int | str, object, str]]:
    """Key, value and field of what a value is made of; a table's keys are names and are checked on the way."""
    if isinstance(value, BaseModel):
        for name, info in type(value).model_fields.items():
            yield info.alias or name, getattr(value, name), name
    elif isinstance(value, Mapping):
        for position, (key, part) in enumerate(value.items()):
            yield f"key {position + 1}", key, "name"
            yield key, part, field
    elif isinstance(value, tuple):
        for position, part in enumerate(value):
            yield position, part, field


def _of_list(value: object, field: str) -> str | None:
    if not isinstance(value, tuple) or len(value) <= LONGEST_LIST or field in LISTS_OF_ANY_LENGTH:
        return None
    return f"has {len(value)} items; a list has at most {LONGEST_LIST}; shorten it"


def _of_text(text: str, field: str) -> str | None:
    what, most = _limit(field)
    if len(text) > most:
        return f"is {brief(text)}; {what} has at most {most:,} characters; shorten it"
    hiding = _hiding(text)
    if hiding is not None:
        return (
            f"has U+{ord(text[hiding]):04X} as character {hiding + 1}; a text holds no control character but newline "
            "and tab, and none that is invisible or turns the writing direction; take it out"
        )
    if field in URLS and text.split() != [text]:
        return f"is {brief(text)}; {what} holds no spaces; encode them or take them out"
    return None


def _limit(field: str) -> tuple[str, int]:
    if field in NAMES:
        return "a name", LONGEST_NAME
    return ("an address", LONGEST_URL) if field in URLS else ("a text", LONGEST_TEXT)


def _hiding(text: str) -> int | None:
    """Where the first character stands that a reader would not see."""
    if text.isascii() and text.isprintable():
        return None
    mark = _VARIATION_SUPPLEMENT.search(text)
    if mark:
        return mark.start()
    if text.isprintable():
        return None
    for position, character in enumerate(text):
        if character not in "\n\t" and unicodedata.category(character) in _HIDING_CATEGORIES:
            return position
    return None
