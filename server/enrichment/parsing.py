"""Reads the queries out of what a language model replied: JSON if there is any, else a list of bullets."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

MOST_CHARACTERS: Final = 100_000
"""Characters of a reply that are read; a list of a hundred queries has ten thousand."""

MOST_ATTEMPTS: Final = 50
"""Most places of a reply at which JSON is looked for, so that a reply of brackets alone is read quickly."""

_AFTER_THOUGHTS: Final = ("</think>", "</thinking>")
"""What stands between the thoughts of a reasoning model and its reply."""

_OPENING: Final = re.compile(r"[\[{]")
_LIST_START: Final = re.compile(r'\[\s*(?=")')
_LIST_ITEM: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*+")\s*(?:,|\]|$)', re.DOTALL)
_BULLET: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+(\S.*)")
_QUOTES: Final = frozenset({('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")})
_TEXT_KEYS: Final = ("query", "text", "request", "phrase", "utterance", "example")
"""Keys under which models put a query if they write objects instead of strings."""

_DECODER: Final = json.JSONDecoder()


def parse_queries(reply: str) -> list[str]:
    """Read the queries of a reply.

    Accepted are a JSON list of strings or of objects with a string, also inside an object, inside prose or a code
    block, or cut off at its end; and, where there is none, lines that begin with a bullet or a number.

    Args:
        reply: any text.

    Returns:
        The queries as written; empty if the reply has none. Never raises.
    """
    text = reply[:MOST_CHARACTERS]
    for end in _AFTER_THOUGHTS:
        text = text.rpartition(end)[2]
    found = max((_strings(value) for value in _json_values(text)), key=len, default=[])
    return found or _cut_off(text) or _bullets(text)


def _json_values(text: str) -> Iterator[Any]:
    """Yield the JSON lists and objects of a text."""
    end = 0
    for attempt, opening in enumerate(_OPENING.finditer(text)):
        if attempt == MOST_ATTEMPTS:
            return
        if opening.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        yield value


def _strings(value: Any) -> list[str]:
    """The queries of a JSON value: of a list, or of the longest list in an object."""
    if isinstance(value, dict):
        lists = [_strings(part) for part in value.values() if isinstance(part, list)]
        return max(lists, key=len, default=[])
    if not isinstance(value, list):
        return []
    return [text for text in map(_string, value) if text is not None]


def _string(item: Any) -> str | None:
    if isinstance(item, dict):
        item = next((item[key] for key in _TEXT_KEYS if key in item), None)
    return item if isinstance(item, str) else None


def _cut_off(text: str) -> list[str]:
    """The complete strings of a JSON list without an end."""
    found: list[str] = []
    start = _LIST_START.search(text)
    item = _LIST_ITEM.match(text, start.end()) if start else None
    while item:
        try:
            found.append(str(json.loads(item.group(1), strict=False)))
        except ValueError:
            break
        item = _LIST_ITEM.match(text, item.end())
    return found


def _bullets(text: str) -> list[str]:
    lines = [_BULLET.fullmatch(line) for line in text.splitlines()]
    return [_unquoted(line.group(1).strip()) for line in lines if line]


def _unquoted(text: str) -> str:
    return text[1:-1].strip() if len(text) > 2 and (text[0], text[-1]) in _QUOTES else text
