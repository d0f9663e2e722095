"""The catalog in memory: capabilities, agents, and what each agent offers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from rapidfuzz import fuzz, process

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import fold
from embeddings.text.words import stems
from server.catalog.models import AgentInfo, AsOf, CanonicalCapability, CapabilityEntry, Source
from server.errors import unknown

SURE_SPELLING: Final = 88
"""Likeness, out of 100, from which a text is a category's name with a typo."""


class CategoryNames:
    """Categories of one catalog. Safe to share between threads."""

    def __init__(self, about: Mapping[str, str]) -> None:
        """Learn the categories and the words of what each is about."""
        # If two fold to the same text, the first in the list counts.
        self._folded = {fold(category): category for category in reversed(list(about))}
        self._names = {category: set(stems(fold(category))) for category in about}
        self._words = {category: self._names[category] | set(stems(text)) for category, text in about.items()}
        self._common = Counter(word for words in self._words.values() for word in words)

    def exact(self, value: str) -> str | None:
        """Return the category with this name, ignoring case and punctuation."""
        return self._folded.get(fold(value))

    def spelled(self, value: str) -> str | None:
        """Return the category whose name this is but for a typo."""
        close = process.extractOne(fold(value), list(self._folded), scorer=fuzz.ratio, score_cutoff=SURE_SPELLING)
        return self._folded[close[0]] if close else None

    def named(self, value: str) -> list[str]:
        """Find the categories whose names have all words of the text, as 'agent-orchestration' has 'orchestration'."""
        said = set(stems(fold(value)))
        return [category for category, words in self._names.items() if said and said <= words]

    def shared_words(self, value: str) -> dict[str, float]:
        """Compute the share of a text's words, from 0 to 1, that describe each category; common words count less."""
        said = set(stems(value))
        return {
            category: sum(1 / self._common[word] for word in said & words) / len(said) if said else 0.0
            for category, words in self._words.items()
        }


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
        """Return the entry of an agent's capability; None if they have no entry."""
        return self.agents[agent].entries.get(capability)

    def capability(self, name: str) -> str:
        """Return the canonical capability with this name, ignoring case and punctuation.

        Raises:
            CallerError: no capability has this name.
        """
        known = self._folded_names.get(fold(name))
        if known:
            return known
        raise unknown("capability", name, self.by_name, "Call again with a known name; list_capabilities shows them.")


def phrase_book(catalog: Catalog) -> PhraseBook:
    """Names, aliases, definitions and phrasings of every canonical capability."""
    aliases: dict[str, list[str]] = {capability.name: [] for capability in catalog.capabilities}
    for alias, names in catalog.aliases.items():
        for name in names:
            aliases[name].append(alias)
    labels = tuple(
        Label(
            name=capability.name,
            aliases=tuple(aliases[capability.name]),
            description=capability.definition,
            phrasings=catalog.phrasings.get(capability.name, ()),
        )
        for capability in catalog.capabilities
    )
    return PhraseBook(labels, catalog.out_of_scope)
