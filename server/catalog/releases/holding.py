"""Which entries hold at a release: one that was superseded stays in the file beside the one that superseded it."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from embeddings.text.normalization import fold
from server.catalog.models import AgentFile, AsOf, CapabilityEntry
from server.catalog.releases.order import parts
from server.errors import CatalogError


def holding(file: AgentFile) -> AgentFile:
    """The file with only those entries that hold at `asOf.version`; without `asOf`, at the newest release."""
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
    """The first release that both hold at, if either is limited to releases."""
    if not any((one.since, one.until, other.since, other.until)):
        return ""
    since = [entry.since for entry in (one, other) if entry.since]
    return f", and both hold at {max(since, key=parts)!r}" if since else ", and both hold at the first release"
