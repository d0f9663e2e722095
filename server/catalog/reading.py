"""Reads the files of a data folder; errors name the file, the entry and the field."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from embeddings.files import read_text
from embeddings.text.invisible import escaped
from embeddings.text.normalization import fold
from server.catalog.models import (
    AgentFile,
    CanonicalCapability,
    CapabilitiesFile,
    CapabilityEntry,
    PhrasingsFile,
)
from server.catalog.releases import check_spans, parts
from server.catalog.safe_text import Location, first_fault
from server.catalog.statement_text import mark_of
from server.errors import CatalogError, brief
from server.paths import shipped_data

Model = TypeVar("Model", bound=BaseModel)

AliasTable = dict[str, tuple[str, ...]]


def read_json_file(model: type[Model], path: Path) -> Model:
    """Read a file as a model.

    Raises:
        CatalogError: it cannot be read or does not fit the schema.
    """
    return _validated(model, _json(path), path)


def read_agent_file(path: Path) -> AgentFile:
    """Read one agent's capabilities, with entries that were superseded or do not hold yet.

    Raises:
        CatalogError: it cannot be read, does not fit the schema, has two entries of one name for one release, or
            contradicts itself.
    """
    file = read_json_file(AgentFile, path)
    check_spans(file.capabilities, path)
    for position, entry in enumerate(file.capabilities):
        _check_statements(entry, file.agent.variants, f"{path}: capabilities[{position}] (entry {entry.name!r})")
    _check_horizon(file, path)
    return file


def _check_statements(entry: CapabilityEntry, variants: Mapping[str, str], where: str) -> None:
    """Refuse an id that names two statements of an entry, and a variant that the agent does not have."""
    seen: set[str] = set()
    named = [entry.variant]
    for _, id_, text in entry.statements:
        if id_ in seen:
            raise CatalogError(
                f"{where} has two statements with the id {id_!r}, one of them {text[:60]!r}; an id names one statement "
                "of an entry; give another id, or join the two"
            )
        if id_:
            seen.add(id_)
        mark = mark_of(text)
        named.append(mark.variant if mark else None)
    for variant in named:
        if variant and variant not in variants:
            raise CatalogError(
                f"{where} is of variant {variant!r}; variants of this agent: {', '.join(variants) or 'none'}; correct "
                "it, or add it to agent.variants"
            )


def _check_horizon(file: AgentFile, path: Path) -> None:
    """Check that half of the entries are checked against `asOf.version` or a newer release, and one on its date."""
    checks = [entry.checked for entry in file.capabilities if entry.checked]
    if file.as_of is None or not checks:
        return
    release, day = file.as_of.version, file.as_of.date
    new_enough = sum(parts(check.version) >= parts(release) for check in checks)
    if 2 * new_enough < len(file.capabilities):
        raise CatalogError(
            f"{path}: asOf.version is {release!r}; {new_enough} of {len(file.capabilities)} entries are checked "
            "against it or a newer release, and at least half must be; check more entries, or give an older release"
        )
    newest = max(check.date for check in checks)
    if day > newest:
        raise CatalogError(
            f"{path}: asOf.date is {day!r}; the newest check of an entry is of {newest!r}, and asOf may not be newer; "
            "give that day"
        )


def _check_unique(entries: Sequence[CanonicalCapability], path: Path) -> None:
    seen: dict[str, int] = {}
    for position, entry in enumerate(entries):
        key = fold(entry.name)
        if key in seen:
            raise CatalogError(
                f"{path}: capabilities[{position}].name {entry.name!r} repeats capabilities[{seen[key]}]; a name may "
                "occur only once in a file, ignoring case and punctuation; merge the two entries"
            )
        seen[key] = position


def read_capabilities_file(path: Path) -> CapabilitiesFile:
    """Read the canonical capabilities.

    Raises:
        CatalogError: it cannot be read, does not fit the schema, or names a capability twice.
    """
    file = read_json_file(CapabilitiesFile, path)
    _check_unique(file.capabilities, path)
    return file


def read_phrasings_file(path: Path) -> PhrasingsFile:
    """Read the phrasings.

    Raises:
        CatalogError: it cannot be read or does not fit the schema.
    """
    return read_json_file(PhrasingsFile, path)


def read_aliases(path: Path) -> AliasTable:
    """Read the alias table: alias to the names it stands for, one or several.

    Raises:
        CatalogError: it cannot be read, or a value is neither a name nor a list of names.
    """
    content = _json(path)
    try:
        table = TypeAdapter(dict[str, str | list[str]]).validate_python(content, strict=True)
    except ValidationError as error:
        raise _invalid(error, content, path) from error
    aliases = {alias: (names,) if isinstance(names, str) else tuple(names) for alias, names in table.items()}
    _check_texts(aliases, content, path, field="name")
    return aliases


def _json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(
            f"{path} cannot be read ({error}); it must be a regular file of UTF-8 JSON; restore it"
        ) from error
    except (ValueError, RecursionError) as error:
        raise CatalogError(f"{path} is not valid JSON ({error}); fix the file there or restore it") from error


def _validated(model: type[Model], content: Any, path: Path) -> Model:
    try:
        found = model.model_validate(content)
    except ValidationError as error:
        raise _invalid(error, content, path) from error
    _check_texts(found, content, path)
    return found


def _check_texts(value: object, content: Any, path: Path, field: str = "") -> None:
    # Tests check the shipped data, so that a start need not check its ten thousand texts.
    fault = None if path.is_relative_to(shipped_data()) else first_fault(value, field)
    if fault:
        raise CatalogError(escaped(f"{path}: {_place(fault.location, content)} {fault.message}"))


def _invalid(error: ValidationError, content: Any, path: Path) -> CatalogError:
    """Return the error for the first fault: where it is, in which entry, what was found, what was expected."""
    first = error.errors(include_url=False)[0]
    more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
    found = "is missing" if first["type"] == "missing" else f"is {brief(first['input'])}"
    # Only its first letter is lowered, as it may contain a pattern, in which `\S` and `\s` are opposites.
    rule = first["msg"][:1].lower() + first["msg"][1:]
    return CatalogError(escaped(f"{path}: {_place(first['loc'], content)} {found}; {rule}; correct it{more}"))


def _place(location: Location, content: Any) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    return f"{where or 'the file'}{_entry_name(location, content)}"


def _entry_name(location: Location, content: Any) -> str:
    """Return the name of the capability that a fault is in, if it has one."""
    entry = _part(_part(content, location[:1]), location[1:2])
    if isinstance(entry, dict) and isinstance(entry.get("name"), str):
        return f" (entry {brief(entry['name'])})"
    return ""


def _part(value: Any, step: Location) -> Any:
    """Return the part of a JSON value that one step leads to, or None.

    A location may not exist in the file: it uses a field's camelCase name although the file may use snake_case, and
    refers to a key by its position.
    """
    match step, value:
        case (str(key),), dict():
            return value.get(key)
        case (int(position),), list() if position < len(value):
            return value[position]
    return None
