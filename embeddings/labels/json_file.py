"""Reads the JSON of a catalog file, and remembers which objects repeat a key."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.files import read_text

SHAPE: Final = (
    '{"labels": [{"name": "...", "aliases": [...], "description": "...", "phrasings": [...]}], "outOfScope": [...]}, '
    'or the JSON of tools/list: {"tools": [...]}'
)


class RepeatedKey(dict[str, Any]):
    """An object that has a key twice; as in `json`, the last value holds.

    Attributes:
        key: the key that occurs most often.
    """

    key: str


def read_json(path: Path, *, pipe: bool = False) -> Any:
    """Read the JSON value of a catalog file; an object that repeats a key is a `RepeatedKey`.

    Raises:
        PhraseBookError: the file cannot be read or is not JSON.
    """
    return parse_json(read_json_text(path, pipe=pipe), f"catalog {str(path)!r}")


def read_json_text(path: Path, *, pipe: bool = False) -> str:
    """Read the text of a catalog file.

    Raises:
        PhraseBookError: the file cannot be read.
    """
    try:
        return read_text(path, pipe=pipe)
    except (OSError, UnicodeDecodeError) as error:
        raise PhraseBookError(
            f"catalog {str(path)!r} cannot be read ({error}); it must be a UTF-8 JSON file; check the path"
        ) from error


def parse_json(text: str, where: str) -> Any:
    """Parse the text of a catalog, which messages call `where`; an object that repeats a key is a `RepeatedKey`.

    Raises:
        PhraseBookError: it is not JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise PhraseBookError(
            f"{where} is not valid JSON ({error}); it must be {SHAPE}; fix the file at this place"
        ) from error


def repeated_keys(value: Any) -> Iterator[str]:
    """Yield the keys that the objects within a value repeat."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, RepeatedKey):
            yield part.key
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated = RepeatedKey(found)
    ((repeated.key, _),) = Counter(key for key, _ in pairs).most_common(1)
    return repeated
