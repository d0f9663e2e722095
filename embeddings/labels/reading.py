"""Reads a catalog's JSON: errors name the entry and the field.

It remembers which objects repeat a key, of which JSON keeps only the last value.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.files import read_text
from embeddings.labels.label import Label

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


def brief(value: Any) -> str:
    """Format a value for a message, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def named(entry: Mapping[str, Any], where: str) -> str:
    """Return the place of an entry with the entry's name, if it has one."""
    name = entry.get("name")
    return f"{where} ({brief(name)})" if isinstance(name, str) else where


_OTHER_WORDS: Final = {
    "examples": "phrasings",
    "utterances": "phrasings",
    "queries": "phrasings",
    "synonyms": "aliases",
    "title": "name",
    "label": "name",
    "intent": "name",
    "summary": "description",
}
"""Keys of other programs' catalogs whose spelling does not lead to what they are called here."""


def check_keys(entry: Mapping[str, Any], known: Sequence[str], where: str, what: str) -> None:
    """Check that an object has known keys only, each of them once.

    Raises:
        PhraseBookError: it has another key, or repeats one; the message names the nearest known one.
    """
    unknown = next((key for key in entry if key not in known), None)
    if unknown is not None:
        # Imported here because it is needed only for this message.
        from difflib import get_close_matches

        near = _OTHER_WORDS.get(str(unknown))
        if near not in known:
            (near,) = get_close_matches(str(unknown), known, 1, cutoff=0)
        raise PhraseBookError(
            f"{named(entry, where)} has the unknown key {brief(unknown)}; {what} has {', '.join(known)}; the nearest "
            f"is {near!r}; correct or remove the key"
        )
    check_once(entry if isinstance(entry, RepeatedKey) else None, named(entry, where))


def check_once(value: Any, where: str) -> None:
    """Check that no object within a value repeats a key.

    Raises:
        PhraseBookError: one does.
    """
    repeated = next(repeated_keys(value), None)
    if repeated is not None:
        raise PhraseBookError(
            f"{where} has the key {brief(repeated)} twice; a key may occur once in an object; merge the two or remove "
            "one"
        )


def check_name(name: str, where: str) -> None:
    """Check that a name has a character besides punctuation and spaces; a blank one is refused elsewhere.

    Raises:
        PhraseBookError: it has none.
    """
    if name.strip() and all(map(_is_punctuation, name)):
        raise PhraseBookError(
            f"{where} has the name {brief(name)}; a name needs at least one character that is neither punctuation nor "
            "a space; name the label in words"
        )


def check_texts(texts: Iterable[str], where: str) -> None:
    """Check that texts can be written as UTF-8.

    Raises:
        PhraseBookError: one has half of a surrogate pair.
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise PhraseBookError(
                f"{where} has the text {brief(text)}; half of a surrogate pair stands for no character; write the "
                "character itself, or both halves"
            ) from error


def _is_punctuation(character: str) -> bool:
    """Return whether a character is punctuation, a space, or one that is not seen.

    ASCII symbols such as `+` count, too.
    """
    kind = unicodedata.category(character)[0]
    return kind in "PZC" or (character.isascii() and kind == "S")


GENERATED: Final = "generated"
"""The `origin` of a phrasing that a language model wrote."""

CATALOG_KEYS: Final = ("labels", "outOfScope", "outOfScopeShare")
LABEL_KEYS: Final = ("name", "aliases", "description", "phrasings", "fields", "id", "metadata")
PHRASING_KEYS: Final = ("text", "origin")


@dataclass(frozen=True)
class CatalogParts:
    """The catalog's parts as read.

    Attributes:
        labels: in the order of the catalog.
        out_of_scope: phrases that no label fits.
        out_of_scope_share: the share of queries that no label fits; None if it is not given.
        reports: what was skipped, cut or cleaned.
    """

    labels: tuple[Label, ...]
    out_of_scope: tuple[str, ...] = ()
    out_of_scope_share: float | None = None
    reports: tuple[str, ...] = ()


def catalog_parts(content: Any, where: str, *, strict: bool) -> CatalogParts:
    """Read a catalog's JSON value.

    Args:
        content: the value.
        where: its name in messages.
        strict: also refuse unknown and repeated keys, names of punctuation alone, and texts that are not Unicode.

    Raises:
        PhraseBookError: it does not have a catalog's structure.
    """
    if strict and isinstance(content, Mapping):
        check_keys(content, CATALOG_KEYS, where, "a catalog")
    if not isinstance(content, Mapping) or not isinstance(content.get("labels"), Sequence):
        raise PhraseBookError(f"{where} is {brief(content)}; a catalog must be {SHAPE}; add 'labels'")
    labels = tuple(read_label(entry, f"{where}: labels[{i}]", strict) for i, entry in enumerate(content["labels"]))
    out_of_scope = texts(content, "outOfScope", where)
    if strict:
        check_texts(out_of_scope, f"{where}.outOfScope")
    return CatalogParts(labels, out_of_scope, share(content, where))


def read_label(entry: Any, where: str, strict: bool) -> Label:
    """Read one label of a catalog.

    Args:
        entry: its JSON value.
        where: its place in messages.
        strict: as for `catalog_parts`.

    Raises:
        PhraseBookError: it does not have a label's structure.
    """
    if not isinstance(entry, Mapping):
        raise PhraseBookError(
            f"{where} is {brief(entry)}; a label must be an object with a 'name'; replace it with one"
        )
    if strict:
        check_keys(entry, LABEL_KEYS, where, "a label")
        check_once(entry, named(entry, where))
    label = Label(
        name=_text(entry, "name", where),
        aliases=texts(entry, "aliases", where),
        description=_text(entry, "description", where, ""),
        fields=_fields(entry, where),
        id=_text(entry, "id", where, ""),
        metadata=_metadata(entry, where),
        **_phrasings(entry, where, strict),
    )
    if strict:
        check_name(label.name, where)
        check_texts(_all_texts(label), f"{where} ({brief(label.name)})")
    return label


def _text(entry: Mapping[str, Any], field: str, where: str, absent: str | None = None) -> str:
    value = entry.get(field, absent)
    if not isinstance(value, str):
        raise PhraseBookError(f"{where}.{field} is {brief(value)}; it must be a string; fix the entry")
    return value


def texts(entry: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    """Read the strings of a list field; none if it is absent.

    Raises:
        PhraseBookError: it is not a list of strings.
    """
    value = entry.get(field, [])
    if not _is_list(value) or not all(isinstance(item, str) for item in value):
        raise PhraseBookError(f"{where}.{field} is {brief(value)}; it must be a list of strings; fix the entry")
    return tuple(value)


def _phrasings(entry: Mapping[str, Any], where: str, strict: bool) -> dict[str, Any]:
    """Read the phrasings, and which of them are generated; one that a person wrote, too, is not."""
    value = entry.get("phrasings", [])
    if not _is_list(value):
        raise PhraseBookError(f"{where}.phrasings is {brief(value)}; it must be a list of strings; fix the entry")
    if all(type(item) is str for item in value):  # As nearly all are; where each of them stands need not be said.
        return {"phrasings": tuple(value), "generated": frozenset()}
    read = [_phrasing(item, f"{where}.phrasings[{i}]", strict) for i, item in enumerate(value)]
    generated = {text for text, written in read if not written} - {text for text, written in read if written}
    return {"phrasings": tuple(text for text, _ in read), "generated": frozenset(generated)}


def _phrasing(item: Any, where: str, strict: bool) -> tuple[str, bool]:
    """Return a phrasing's text, and whether a person wrote it."""
    if isinstance(item, str):
        return item, True
    shaped = isinstance(item, Mapping) and isinstance(item.get("text"), str)
    if not shaped or item.get("origin", GENERATED) != GENERATED:
        raise PhraseBookError(
            f'{where} is {brief(item)}; a phrasing must be a string, or {{"text": "...", "origin": "{GENERATED}"}} if '
            "a language model wrote it; fix the entry"
        )
    if strict:
        check_keys(item, PHRASING_KEYS, where, "a phrasing")
    return item["text"], "origin" not in item


def _fields(entry: Mapping[str, Any], where: str) -> dict[str, tuple[str, ...]]:
    value = entry.get("fields", {})
    if not isinstance(value, Mapping) or not all(map(_is_field, value.values())):
        raise PhraseBookError(
            f"{where}.fields is {brief(value)}; it must be an object whose values are strings or lists of strings; "
            "fix the entry"
        )
    return {name: (given,) if isinstance(given, str) else tuple(given) for name, given in value.items()}


def _is_field(value: Any) -> bool:
    return isinstance(value, str) or (_is_list(value) and all(isinstance(item, str) for item in value))


def _metadata(entry: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    value = entry.get("metadata", {})
    if not isinstance(value, Mapping):
        raise PhraseBookError(f"{where}.metadata is {brief(value)}; it must be an object; fix the entry")
    return value


def share(content: Mapping[str, Any], where: str) -> float | None:
    """Read the share of queries that no label fits; None if it is absent.

    Raises:
        PhraseBookError: it is not a number in [0, 1).
    """
    value = content.get("outOfScopeShare")
    if "outOfScopeShare" not in content:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1:
        raise PhraseBookError(
            f"{where}.outOfScopeShare is {brief(value)}; the share of queries that no label fits must be a number of "
            "at least 0 and below 1; correct it or leave it out"
        )
    return float(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _all_texts(label: Label) -> Iterator[str]:
    yield from (label.name, label.description, label.id, *label.aliases, *label.phrasings)
    for name, given in label.fields.items():
        yield from (name, *given)
