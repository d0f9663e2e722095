"""Checks the texts of a data folder: they end up in a model's context, so none may hide anything or flood it."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from embeddings.text.invisible import first_hidden
from server.errors import brief

LONGEST_NAME: Final = 200
"""Maximum characters of a name, category or alias; the longest in the shipped data, an agent's own term, has 66."""

LONGEST_TEXT: Final = 4_000
"""Maximum characters of any other text; the longest in the shipped data, a description, has 417."""

LONGEST_URL: Final = 2_000
"""Maximum characters of an address; the longest in the shipped data has 150."""

LONGEST_LIST: Final = 50
"""Maximum items of a list; the longest in the shipped data, one entry's sources, has 16."""

NAMES: Final = frozenset(
    {"name", "category", "terminology", "vendor", "version", "last_updated", "also_known_as", "since", "until"}
)
URLS: Final = frozenset({"url", "start_url"})
LISTS_OF_ANY_LENGTH: Final = frozenset({"capabilities", "cells", "runs", "phrasings", "out_of_scope"})
"""Lists that grow with the catalog itself; no answer shows a whole one as part of one entry."""

TABLES_BY_TEXT: Final = frozenset({"questions"})
"""Tables whose keys are texts; the keys of others are names."""

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
    """Return the first text or list in a model or a table that is refused.

    Args:
        value: a model, or a part of one.
        field: the model's field that holds it, which determines the limits; a table's values have the table's field.
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
    """Return whether a list holds only short texts without hidden characters.

    It is a fast path: a start reads thousands.
    """
    if not isinstance(value, tuple) or field in URLS or not all(isinstance(part, str) for part in value):
        return False
    # The space between texts keeps a mark at the start of one from counting as needed by the end of the one before.
    return _hidden(" ".join(value), field) is None and max(map(len, value), default=0) <= LONGEST_NAME


def _parts(value: object, field: str) -> Iterator[tuple[int | str, object, str]]:
    """Key, value and field of each part of a value; a table's keys are parts too."""
    if isinstance(value, BaseModel):
        for name, info in type(value).model_fields.items():
            yield info.alias or name, getattr(value, name), name
    elif isinstance(value, Mapping):
        for position, (key, part) in enumerate(value.items()):
            yield f"key {position + 1}", key, field if field in TABLES_BY_TEXT else "name"
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
    if field in URLS and text.split() != [text]:
        return f"is {brief(text)}; {what} must not contain spaces; encode or remove them"
    hidden = _hidden(text, field)
    if hidden is not None:
        return (
            f"has U+{ord(text[hidden]):04X} as character {hidden + 1}; {what} must not contain control characters"
            f"{'' if _in_one_line(field) else ' other than newline and tab'}, characters that are invisible or change "
            "the writing direction, or characters without a meaning in Unicode "
            f"{unicodedata.unidata_version}; remove it"
        )
    return None


def _limit(field: str) -> tuple[str, int]:
    if field in NAMES:
        return "a name", LONGEST_NAME
    return ("an address", LONGEST_URL) if field in URLS else ("a text", LONGEST_TEXT)


def _in_one_line(field: str) -> bool:
    return field in NAMES or field in URLS


def _hidden(text: str, field: str) -> int | None:
    """Position of the first character that a reader would not see and that the text around it does not need."""
    return first_hidden(text, one_line=_in_one_line(field))
