"""Texts that a tool shortened for a model, whole again."""

from typing import Any

from server.catalog.catalog import Catalog
from server.catalog.models import CapabilityEntry
from server.catalog.statements import entry_statements
from server.tools.limits import ELLIPSIS


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
        changed["relevant"] = [
            each | {"statement": _text(each["statement"], each["field"], entry)} for each in part["relevant"]
        ]
    if setup := part.get("implementationNotes", {}).get("setup"):
        changed["implementationNotes"] = part["implementationNotes"] | {"setup": _text(setup, "setup", entry)}
    return changed


def _text(shown: str, field: str, entry: CapabilityEntry) -> str:
    """The statement of a field that begins as a shortened one does; the shown one if it is whole or not found."""
    if not shown.endswith(ELLIPSIS):
        return shown
    beginning = shown.removesuffix(ELLIPSIS)
    texts = (text for name, text in entry_statements(entry) if name == field)
    return next((text for text in texts if text.startswith(beginning)), shown)
