"""Where each page of the site is: addresses of lower-case ASCII, made of names of any script."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from server.catalog.catalog import Catalog

LONGEST: Final = 60

_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""Names that Windows takes for devices, whatever follows the dot."""


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a slug for each name; names that would have the same one are numbered in their order."""
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


INDEX: Final = "index.html"
AGENTS: Final = "agents"
CAPABILITIES: Final = "capabilities"


@dataclass(frozen=True)
class Addresses:
    """The slugs of agents, by id, and of capabilities and categories, by name."""

    agents: Mapping[str, str]
    capabilities: Mapping[str, str]
    categories: Mapping[str, str]

    @classmethod
    def of(cls, catalog: Catalog) -> "Addresses":
        """Return the slugs of a catalog."""
        return cls(slugs(catalog.agents), slugs(catalog.by_name), slugs(catalog.categories))

    def agent(self, id_: str) -> str:
        """Path of an agent's page."""
        return f"{AGENTS}/{self.agents[id_]}.html"

    def capability(self, name: str) -> str:
        """Path of a capability's page."""
        return f"{CAPABILITIES}/{self.capabilities[name]}.html"

    def entry(self, agent: str, name: str) -> str:
        """Path of a capability's page, with the fragment of an agent's part."""
        return f"{self.capability(name)}#{self.entry_id(agent)}"

    def entry_id(self, agent: str) -> str:
        """Return the id of an agent's part of a capability's page."""
        return f"agent-{self.agents[agent]}"

    def category_id(self, category: str) -> str:
        """Return the id of a category's part of the first page."""
        return f"category-{self.categories[category]}"
