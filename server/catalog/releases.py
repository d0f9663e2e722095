"""Releases of an agent: their order, and which entries hold at one.

An entry that was superseded stays in the file beside the one that superseded it.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from embeddings.text.normalization import fold
from server.catalog.models import AgentFile, AsOf, CapabilityEntry
from server.errors import CatalogError

_NUMBERS: Final = re.compile(r"v?(\d+(?:\.\d+)*)")

Parts = tuple[int, ...]


def parts(release: str) -> Parts:
    """Return the numbers of a release, which compare in its order: `v1.10.0` is (1, 10), after `1.9.3`.

    What follows the numbers does not count: a preview stands for the release that it leads to.

    Args:
        release: as `server.catalog.models.Release` permits it.
    """
    found = _NUMBERS.match(release)
    numbers = [int(number) for number in found[1].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def holding(file: AgentFile) -> AgentFile:
    """Return the file with only those entries that hold at `asOf.version`; without `asOf`, at the newest release."""
    entries = tuple(entry for entry in file.capabilities if _holds(entry, file.as_of))
    return file.model_copy(update={"capabilities": entries})


def check_spans(entries: Sequence[CapabilityEntry], path: Path) -> None:
    """Refuse entries that hold at no release, and two of one name that hold at the same one.

    Raises:
        CatalogError: there is such an entry.
    """
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for position, entry in enumerate(entries):
        if entry.since and entry.until and parts(entry.since) >= parts(entry.until):
            raise CatalogError(
                f"{path}: capabilities[{position}].until (entry {entry.name!r}) is {entry.until!r}; an entry holds "
                f"before it and from its since on, which is {entry.since!r}; give a release after that"
            )
        for earlier in seen[fold(entry.name)]:
            if _overlap(entry, entries[earlier]):
                raise CatalogError(
                    f"{path}: capabilities[{position}].name {entry.name!r} repeats capabilities[{earlier}]"
                    f"{_where(entry, entries[earlier])}; two entries of one name, ignoring case and punctuation, must "
                    "hold for different releases; merge them, or end the older one with until where the newer one "
                    "has since"
                )
        seen[fold(entry.name)].append(position)


def _holds(entry: CapabilityEntry, as_of: AsOf | None) -> bool:
    if as_of is None:
        return entry.until is None
    at = parts(as_of.version)
    return not (entry.since and at < parts(entry.since)) and not (entry.until and at >= parts(entry.until))


def _overlap(one: CapabilityEntry, other: CapabilityEntry) -> bool:
    return _begins_before_end(one, other) and _begins_before_end(other, one)


def _begins_before_end(one: CapabilityEntry, other: CapabilityEntry) -> bool:
    return other.until is None or parts(one.since or "0") < parts(other.until)


def _where(one: CapabilityEntry, other: CapabilityEntry) -> str:
    """Return the first release that both hold at, if either is limited to releases."""
    if not any((one.since, one.until, other.since, other.until)):
        return ""
    since = [entry.since for entry in (one, other) if entry.since]
    return f", and both hold at {max(since, key=parts)!r}" if since else ", and both hold at the first release"
