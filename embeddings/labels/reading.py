"""Reads labels from a catalog's JSON; errors name the entry and the field."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.files import read_text
from embeddings.labels.label import Label

GENERATED: Final = "generated"
"""The `origin` of a phrasing that a language model wrote."""

_SHAPE: Final = (
    '{"labels": [{"name": "...", "aliases": [...], "description": "...", "phrasings": [...]}], "outOfScope": [...]}'
)


def read_json(path: Path, *, pipe: bool = False) -> Any:
    """Read the JSON value of a catalog file.

    Raises:
        PhraseBookError: the file cannot be read or is not JSON.
    """
    try:
        return json.loads(read_text(path, pipe=pipe))
    except (OSError, UnicodeDecodeError) as error:
        raise PhraseBookError(
            f"catalog {str(path)!r} cannot be read ({error}); it must be a UTF-8 JSON file; check the path"
        ) from error
    except (ValueError, RecursionError) as error:
        raise PhraseBookError(
            f"catalog {str(path)!r} is not valid JSON ({error}); it must be {_SHAPE}; fix the file at this place"
        ) from error


def catalog_parts(content: Any, where: str) -> tuple[tuple[Label, ...], tuple[str, ...]]:
    """Read the labels and the out-of-scope phrases from a catalog's JSON value.

    Raises:
        PhraseBookError: it does not have a catalog's structure.
    """
    if not isinstance(content, Mapping) or not isinstance(content.get("labels"), Sequence):
        raise PhraseBookError(f"{where} is {_brief(content)}; a catalog must be {_SHAPE}; add 'labels'")
    labels = tuple(_label(entry, f"{where}: labels[{i}]") for i, entry in enumerate(content["labels"]))
    return labels, _texts(content, "outOfScope", where)


def _label(entry: Any, where: str) -> Label:
    if not isinstance(entry, Mapping):
        raise PhraseBookError(
            f"{where} is {_brief(entry)}; a label must be an object with a 'name'; replace it with one"
        )
    name, description = entry.get("name"), entry.get("description", "")
    for field, value in (("name", name), ("description", description)):
        if not isinstance(value, str):
            raise PhraseBookError(f"{where}.{field} is {_brief(value)}; it must be a string; fix the entry")
    phrasings, generated = _phrasings(entry, where)
    return Label(str(name), _texts(entry, "aliases", where), description, phrasings, generated=generated)


def _phrasings(entry: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Read the phrasings, and those of them that a language model wrote.

    An item is a string or `{"text": "...", "origin": "generated"}`.
    """
    value = entry.get("phrasings", [])
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise PhraseBookError(f"{where}.phrasings is {_brief(value)}; it must be a list of strings; fix the entry")
    texts = tuple(_phrasing(item, f"{where}.phrasings[{position}]") for position, item in enumerate(value))
    return texts, frozenset(text for text, item in zip(texts, value, strict=True) if not isinstance(item, str))


def _phrasing(item: Any, where: str) -> str:
    if isinstance(item, str):
        return item
    text = item.get("text") if isinstance(item, Mapping) else None
    if not isinstance(text, str) or item.get("origin") != GENERATED:
        raise PhraseBookError(
            f'{where} is {_brief(item)}; a phrasing must be a string or {{"text": "...", "origin": "{GENERATED}"}}; '
            "fix the entry"
        )
    return text


def _texts(entry: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    """Read the strings of a list field."""
    value = entry.get(field, [])
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(item, str) for item in value):
        raise PhraseBookError(f"{where}.{field} is {_brief(value)}; it must be a list of strings; fix the entry")
    return tuple(value)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
