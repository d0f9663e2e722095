"""The catalog in memory: capabilities, agents, and what each agent offers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from embeddings.text.normalization import fold
from server.catalog.category_names import CategoryNames
from server.catalog.models import AgentInfo, AsOf, CanonicalCapability, CapabilityEntry, Source
from server.errors import unknown


@dataclass(frozen=True)
class Agent:
    """One agent's facts.

    Attributes:
        id: the name of its folder.
        info: name, vendor, version.
        entries: what the data say about each capability, by canonical name.
        as_of: the release and date that they stand at, if the data say so.
    """

    id: str
    info: AgentInfo
    entries: Mapping[str, CapabilityEntry]
    as_of: AsOf | None = None


@dataclass(frozen=True)
class Catalog:
    """All facts of one data folder.

    Attributes:
        folder: where they were read from.
        capabilities: canonical ones, in the order of the file.
        agents: by id, in alphabetical order.
        aliases: alias to canonical names.
        phrasings: canonical name to examples of how people ask.
        out_of_scope: phrases that no capability answers.
        category_definitions: category to what it is about; not every category needs to have one.
    """

    folder: Path
    capabilities: tuple[CanonicalCapability, ...]
    agents: Mapping[str, Agent]
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrasings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    out_of_scope: tuple[str, ...] = ()
    category_definitions: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, CanonicalCapability]:
        """Canonical capabilities by name."""
        return {capability.name: capability for capability in self.capabilities}

    @cached_property
    def categories(self) -> list[str]:
        """Categories in use, in alphabetical order."""
        return sorted({capability.category for capability in self.capabilities})

    @cached_property
    def _folded_names(self) -> Mapping[str, str]:
        return {fold(name): name for name in self.by_name}

    @cached_property
    def category_names(self) -> CategoryNames:
        """Finds categories by name and by the words of what they are about."""
        about = dict(self.category_definitions)
        for capability in self.capabilities:
            about[capability.category] = f"{about.get(capability.category, '')} {capability.name}"
        return CategoryNames({category: about[category] for category in self.categories})

    @cached_property
    def sources(self) -> list[Source]:
        """Every source of every entry."""
        return [
            source for agent in self.agents.values() for entry in agent.entries.values() for source in entry.sources
        ]

    def entry(self, agent: str, capability: str) -> CapabilityEntry | None:
        """What the data say about a capability of an agent; None if they have no entry."""
        return self.agents[agent].entries.get(capability)

    def capability(self, name: str) -> str:
        """The canonical capability with this name, ignoring case and punctuation.

        Raises:
            CallerError: no capability has this name.
        """
        known = self._folded_names.get(fold(name))
        if known:
            return known
        raise unknown("capability", name, self.by_name, "Call again with a known name; list_capabilities shows them.")
