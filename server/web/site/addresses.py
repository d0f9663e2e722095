"""Where each page of the site is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from server.catalog.catalog import Catalog
from server.web.site.slugs import slugs

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
        """The slugs of a catalog."""
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
        """The id of an agent's part of a capability's page."""
        return f"agent-{self.agents[agent]}"

    def category_id(self, category: str) -> str:
        """The id of a category's part of the first page."""
        return f"category-{self.categories[category]}"
