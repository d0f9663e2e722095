"""Texts that a tool shortened for a model, whole again."""

from typing import Any, Final

from server.catalog.catalog import Catalog
from server.catalog.models import CapabilityEntry

_ELLIPSIS: Final = "…"


def whole(catalog: Catalog, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer for several agents, with statements and setup as the catalog has them."""
    changed = dict(answer)
    if "comparison" in answer:
        changed["comparison"] = [
            _part(line, catalog.entry(line["agent"], answer["capability"])) for line in answer["comparison"]
        ]
    if "agents" in answer:
        changed["agents"] = [
            agent
            | {"needs": [_part(need, catalog.entry(agent["agent"], need["capability"])) for need in agent["needs"]]}
            for agent in answer["agents"]
        ]
    return changed


def _part(part: dict[str, Any], entry: CapabilityEntry | None) -> dict[str, Any]:
    if entry is None:
        return part
    changed = dict(part)
    if "relevant" in part:
        changed["relevant"] = [each | {"statement": _text(each["statement"], entry)} for each in part["relevant"]]
    if setup := part.get("implementationNotes", {}).get("setup"):
        changed["implementationNotes"] = part["implementationNotes"] | {"setup": _text(setup, entry)}
    return changed


def _text(shown: str, entry: CapabilityEntry) -> str:
    """The text that begins as a shortened one does; the shown one if it is whole or not found."""
    if not shown.endswith(_ELLIPSIS):
        return shown
    beginning = shown.removesuffix(_ELLIPSIS)
    notes = entry.implementation_notes
    texts = [*entry.limitations, *entry.requirements, *(notes.gotchas if notes else ()), (notes and notes.setup) or ""]
    texts += _sentences(entry.description or "", beginning)
    return next((text for text in texts if text.startswith(beginning)), shown)


def _sentences(description: str, beginning: str) -> list[str]:
    """The sentence of a description that has this beginning."""
    _, found, rest = description.partition(beginning)
    end = rest.find(". ")
    return [found + (rest if end < 0 else rest[: end + 1])] if found else []
