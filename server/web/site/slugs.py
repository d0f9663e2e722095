"""File names and fragments for names of any script: lower-case ASCII, unique, and allowed on every system."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 60

_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""Names that Windows takes for devices, whatever follows the dot."""


def slugs(names: Iterable[str]) -> dict[str, str]:
    """A slug for each name; names that would have the same one are numbered in their order."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in dict.fromkeys(names):
        wanted = _slug(name)
        number, chosen = 1, wanted
        while chosen in used:
            number += 1
            chosen = f"{wanted}-{number}"
        used.add(chosen)
        found[name] = chosen
    return found


def _slug(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:LONGEST].strip("-")
    if not slug:
        return f"name-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"{slug}-page" if slug in _RESERVED else slug
