"""Reads a catalog's JSON value; errors name the entry and the field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.labels.json_file import SHAPE
from embeddings.labels.label import Label
from embeddings.labels.strictness import brief, check_keys, check_name, check_once, check_texts, named

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
