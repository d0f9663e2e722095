"""Loads a data folder into a catalog."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embeddings.text.normalization import fold
from server.catalog.catalog import Agent, Catalog
from server.catalog.folders import AGENT_FILE, agents_folder
from server.catalog.models import AgentFile, CanonicalCapability, CapabilitiesFile
from server.catalog.reading import (
    AliasTable,
    read_agent_file,
    read_aliases,
    read_capabilities_file,
    read_phrasings_file,
)
from server.catalog.releases import holding
from server.catalog.safe_text import first_fault
from server.errors import CatalogError, brief
from server.paths import shipped_data

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
