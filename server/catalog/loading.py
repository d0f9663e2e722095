"""Loads a data folder into a catalog; errors name the file, the entry and the field."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from embeddings.files import read_text
from embeddings.text.invisible import escaped
from embeddings.text.normalization import fold
from server.catalog.catalog import Agent, Catalog
from server.catalog.folders import AGENT_FILE, agents_folder
from server.catalog.models import AgentFile, CanonicalCapability, CapabilitiesFile, PhrasingsFile, QuestionsFile
from server.catalog.releases import check_spans, holding
from server.catalog.safe_text import Location, first_fault
from server.errors import CatalogError, brief
from server.paths import shipped_data

Model = TypeVar("Model", bound=BaseModel)

AliasTable = dict[str, tuple[str, ...]]


def read_agent_file(path: Path) -> AgentFile:
    """Read one agent's capabilities, with entries that were superseded or do not hold yet.

    Raises:
        CatalogError: it cannot be read, does not fit the schema, or has two entries of one name for one release.
    """
    file = _validated(AgentFile, _json(path), path)
    check_spans(file.capabilities, path)
    return file


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
    file = _validated(CapabilitiesFile, _json(path), path)
    _check_unique(file.capabilities, path)
    return file


def read_phrasings_file(path: Path) -> PhrasingsFile:
    """Read the phrasings.

    Raises:
        CatalogError: it cannot be read or does not fit the schema.
    """
    return _validated(PhrasingsFile, _json(path), path)


def read_questions_file(path: Path) -> QuestionsFile:
    """Read the questions that one agent's statements answer.

    Raises:
        CatalogError: it cannot be read or does not fit the schema.
    """
    return _validated(QuestionsFile, _json(path), path)


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


CAPABILITIES_FILE: Final = "capabilities.json"
ALIASES_FILE: Final = "aliases.json"
PHRASINGS_FILE: Final = "phrasings.json"

KINDRED_SHARE: Final = 0.5
"""A folder without its own vocabulary uses the shipped one if at least this share of its names is in it."""


def load_catalog(folder: Path) -> Catalog:
    """Read a data folder.

    A folder without `capabilities.json` uses the shipped vocabulary, with its aliases and phrasings, if they share
    enough names (`KINDRED_SHARE`). Otherwise the names of its own entries are its vocabulary.

    Args:
        folder: holds `agents/`, or is that folder.

    Raises:
        CatalogError: there are no agents, or a file cannot be used.
    """
    files = _agent_files(folder)
    vocabulary = _vocabulary_folder(folder, files)
    listed = read_capabilities_file(vocabulary / CAPABILITIES_FILE) if vocabulary else CapabilitiesFile(capabilities=())
    capabilities = _with_unlisted(listed.capabilities, files)
    names = {fold(capability.name): capability.name for capability in capabilities}
    aliases, phrasings, out_of_scope = _texts(vocabulary or folder, names)
    return Catalog(
        folder=folder,
        capabilities=capabilities,
        agents={id_: _agent(id_, file, names) for id_, file in sorted(files.items())},
        aliases=aliases or _terminology(files, names),
        phrasings=phrasings,
        out_of_scope=out_of_scope,
        category_definitions=listed.categories,
    )


def _agent_files(folder: Path) -> dict[str, AgentFile]:
    paths = sorted(agents_folder(folder).glob(f"*/capabilities/{AGENT_FILE}"))
    if not paths:
        raise CatalogError(
            f"no agents in {str(folder)!r}; a data folder holds agents/<agent>/capabilities/current.json; "
            "restore the files or give another folder"
        )
    return {_agent_id(path): holding(read_agent_file(path)) for path in paths}


def _agent_id(path: Path) -> str:
    """Return the name of an agent's folder, checked like the texts of a file because answers repeat it."""
    name = path.parent.parent.name
    fault = first_fault(name, "name")
    if fault:
        raise CatalogError(f"agent folder {brief(name)} {fault.message}")
    return name


def _vocabulary_folder(folder: Path, files: Mapping[str, AgentFile]) -> Path | None:
    """Find the folder with the `capabilities.json` to use: itself, the shipped one for similar data, or none."""
    if (folder / CAPABILITIES_FILE).exists():
        return folder
    shipped = shipped_data()
    if not (shipped / CAPABILITIES_FILE).is_file():
        return None
    known = {fold(item.name) for item in read_capabilities_file(shipped / CAPABILITIES_FILE).capabilities}
    used = {fold(entry.name) for file in files.values() for entry in file.capabilities}
    return shipped if used and len(used & known) >= KINDRED_SHARE * len(used) else None


def _with_unlisted(
    listed: tuple[CanonicalCapability, ...], files: Mapping[str, AgentFile]
) -> tuple[CanonicalCapability, ...]:
    """Return the listed capabilities, then those that only agent files name, with the first agent's description."""
    found = {fold(capability.name): capability for capability in listed}
    for file in files.values():
        for entry in file.capabilities:
            found.setdefault(
                fold(entry.name),
                CanonicalCapability(name=entry.name, category=entry.category, definition=entry.description),
            )
    if not found:
        raise CatalogError("the agents' files hold no capabilities; at least one is needed; restore the files")
    return tuple(found.values())


def _texts(folder: Path, names: Mapping[str, str]) -> tuple[AliasTable, dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Aliases, phrasings and out-of-scope phrases of a folder, each optional.

    Raises:
        CatalogError: a text is for a capability that does not exist.
    """
    aliases: AliasTable = {}
    if (folder / ALIASES_FILE).exists():
        for alias, targets in read_aliases(folder / ALIASES_FILE).items():
            aliases[alias] = tuple(_known(target, names, folder / ALIASES_FILE) for target in targets)
    if not (folder / PHRASINGS_FILE).exists():
        return aliases, {}, ()
    file = read_phrasings_file(folder / PHRASINGS_FILE)
    phrasings = {_known(name, names, folder / PHRASINGS_FILE): texts for name, texts in file.phrasings.items()}
    return aliases, phrasings, file.out_of_scope


def _known(name: str, names: Mapping[str, str], path: Path) -> str:
    if fold(name) not in names:
        raise CatalogError(
            f"{path} names capability {name!r}, which is in neither {CAPABILITIES_FILE} nor an agent's file; "
            "a text must belong to a known capability; correct the name"
        )
    return names[fold(name)]


def _agent(id_: str, file: AgentFile, names: Mapping[str, str]) -> Agent:
    return Agent(id_, file.agent, {names[fold(entry.name)]: entry for entry in file.capabilities}, file.as_of)


def _terminology(files: Mapping[str, AgentFile], names: Mapping[str, str]) -> AliasTable:
    """Return the agents' own words as aliases, for a folder that has no alias table."""
    found: dict[str, set[str]] = {}
    for file in files.values():
        for entry in file.capabilities:
            if entry.terminology and fold(entry.terminology) not in names:
                found.setdefault(entry.terminology, set()).add(names[fold(entry.name)])
    return {alias: tuple(sorted(targets)) for alias, targets in sorted(found.items())}
