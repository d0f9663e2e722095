"""The catalog in memory: capabilities, agents, and what each agent offers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from embeddings.text import fold
from server.catalog.models import AgentInfo, CanonicalCapability, CapabilityEntry, Source
from server.errors import unknown


@dataclass(frozen=True)
class Agent:
    """One agent's facts.

    Attributes:
        id: the name of its folder.
        info: name, vendor, version.
        entries: what the data say, by canonical name.
    """

    id: str
    info: AgentInfo
    entries: Mapping[str, CapabilityEntry]


@dataclass(frozen=True)
class Catalog:
    """All facts of one data folder.

    Attributes:
        folder: where they were read.
        capabilities: canonical ones, in the order of the file.
        agents: by id, in alphabetical order.
        aliases: alias to canonical names.
        phrasings: canonical name to examples of how people ask.
        out_of_scope: phrases that no capability answers.
    """

    folder: Path
    capabilities: tuple[CanonicalCapability, ...]
    agents: Mapping[str, Agent]
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrasings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    out_of_scope: tuple[str, ...] = ()

    @cached_property
    def by_name(self) -> Mapping[str, CanonicalCapability]:
        """Canonical capabilities by name."""
        return {capability.name: capability for capability in self.capabilities}

    @cached_property
    def categories(self) -> list[str]:
        """Categories that occur, alphabetical."""
        return sorted({capability.category for capability in self.capabilities})

    @cached_property
    def sources(self) -> list[Source]:
        """Every source of every entry."""
        return [
            source for agent in self.agents.values() for entry in agent.entries.values() for source in entry.sources
        ]

    def entry(self, agent: str, capability: str) -> CapabilityEntry | None:
        """What the data say of a capability for an agent; None where they say nothing."""
        return self.agents[agent].entries.get(capability)

    def capability(self, name: str) -> str:
        """The canonical capability of that name, case and punctuation aside.

        Raises:
            CallerError: there is none.
        """
        for known in self.by_name:
            if fold(known) == fold(name):
                return known
        raise unknown("capability", name, self.by_name, "Call again with a known name; list_capabilities shows them.")

    def category(self, name: str) -> str:
        """The category a caller means, case and punctuation aside.

        Raises:
            CallerError: there is none like it.
        """
        for known in self.categories:
            if fold(known) == fold(name):
                return known
        raise unknown("category", name, self.categories, "Call again with a known category.")
