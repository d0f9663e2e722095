"""Checks of an agent's file beyond its schema: ids of statements, variants, and the release that it stands at."""

from collections.abc import Mapping
from pathlib import Path

from server.catalog.models import AgentFile, CapabilityEntry
from server.catalog.releases import parts
from server.errors import CatalogError


def check_evidence(file: AgentFile, path: Path) -> None:
    """Refuse a repeated id, an unknown variant, and an `asOf` that the entries' own checks do not bear out.

    Raises:
        CatalogError: there is such a fault.
    """
    for position, entry in enumerate(file.capabilities):
        where = f"{path}: capabilities[{position}] (entry {entry.name!r})"
        _check_ids(entry, where)
        _check_variants(entry, file.agent.variants, where)
    _check_horizon(file, path)


def _check_ids(entry: CapabilityEntry, where: str) -> None:
    seen: set[str] = set()
    for _, id_, text in entry.statements:
        if id_ in seen:
            raise CatalogError(
                f"{where} has two statements with the id {id_!r}, one of them {text[:60]!r}; an id names one statement "
                "of an entry; give another id, or join the two"
            )
        if id_:
            seen.add(id_)


def _check_variants(entry: CapabilityEntry, known: Mapping[str, str], where: str) -> None:
    for variant in (entry.variant, *(mark.variant for mark in entry.marks)):
        if variant and variant not in known:
            raise CatalogError(
                f"{where} is of variant {variant!r}; variants of this agent: {', '.join(known) or 'none'}; correct it, "
                "or add it to agent.variants"
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
