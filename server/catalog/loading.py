"""Loads a data folder into a catalog; errors name the file, the entry and the field."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embeddings.text.normalization import fold
from server.catalog.catalog import Agent, Catalog
from server.catalog.facets import FACETS_FILE, FacetPhrasings, Facets, by_key, read_cells, read_facets
from server.catalog.folders import AGENT_FILE, agents_folder
from server.catalog.models import AgentFile, CanonicalCapability, CapabilitiesFile, PhrasingsFile
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
    facets = read_facets(vocabulary, names) if vocabulary else {}
    texts = vocabulary or folder
    aliases, phrasings = _aliases(texts, names), _phrasings(texts)
    return Catalog(
        folder=folder,
        capabilities=capabilities,
        agents={id_: _agent(folder, id_, file, names, facets) for id_, file in sorted(files.items())},
        aliases=aliases or _terminology(files, names),
        phrasings=_by_capability(phrasings, names, texts),
        out_of_scope=phrasings.out_of_scope,
        category_definitions=listed.categories,
        facets=facets,
        facet_phrasings=_by_facet(phrasings, facets, texts),
        whole_phrasings={names[fold(name)]: asked for name, asked in phrasings.whole.items()},
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


def _aliases(folder: Path, names: Mapping[str, str]) -> AliasTable:
    path = folder / ALIASES_FILE
    if not path.exists():
        return {}
    return {
        alias: tuple(_known(target, names, path) for target in targets) for alias, targets in read_aliases(path).items()
    }


def _phrasings(folder: Path) -> PhrasingsFile:
    path = folder / PHRASINGS_FILE
    return read_phrasings_file(path) if path.exists() else PhrasingsFile()


def _by_capability(file: PhrasingsFile, names: Mapping[str, str], folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the phrasings of each capability: of its own, as a whole, and of its facets."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for texts_of in (file.phrasings, file.whole):
        for name, texts in texts_of.items():
            found[_known(name, names, folder / PHRASINGS_FILE)] += texts
    for tagged in (file.facets, file.against):
        for key, texts in tagged.items():
            found[_known(key.rpartition("/")[0], names, folder / PHRASINGS_FILE)] += texts
    return {name: tuple(texts) for name, texts in found.items()}


def _by_facet(file: PhrasingsFile, facets: Facets, folder: Path) -> dict[str, FacetPhrasings]:
    known = by_key(facets)
    for key in (*file.facets, *file.against):
        if key not in known:
            raise CatalogError(
                f"{folder / PHRASINGS_FILE} names facet {key!r}, which is not in {FACETS_FILE}; a text must belong to "
                "a known facet; correct the name"
            )
    return {key: FacetPhrasings(file.facets.get(key, ()), file.against.get(key, ())) for key in known}


def _known(name: str, names: Mapping[str, str], path: Path) -> str:
    if fold(name) not in names:
        raise CatalogError(
            f"{path} names capability {name!r}, which is in neither {CAPABILITIES_FILE} nor an agent's file; "
            "a text must belong to a known capability; correct the name"
        )
    return names[fold(name)]


def _agent(folder: Path, id_: str, file: AgentFile, names: Mapping[str, str], facets: Facets) -> Agent:
    entries = {names[fold(entry.name)]: entry for entry in file.capabilities}
    return Agent(id_, file.agent, entries, file.as_of, read_cells(folder, id_, facets, entries))


def _terminology(files: Mapping[str, AgentFile], names: Mapping[str, str]) -> AliasTable:
    """Return the agents' own words as aliases, for a folder that has no alias table."""
    found: dict[str, set[str]] = {}
    for file in files.values():
        for entry in file.capabilities:
            if entry.terminology and fold(entry.terminology) not in names:
                found.setdefault(entry.terminology, set()).add(names[fold(entry.name)])
    return {alias: tuple(sorted(targets)) for alias, targets in sorted(found.items())}
