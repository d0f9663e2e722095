"""The catalog in memory: capabilities, agents, and what each agent offers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import fold
from embeddings.text.words import stems
from server.catalog.facets import Cell, Facet, FacetPhrasings, Facets, by_key, key_of
from server.catalog.models import AgentInfo, AsOf, CanonicalCapability, CapabilityEntry, Source
from server.errors import SHOWN, CallerError, brief, unknown

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
        # Here and below imported on first use, so that a server starts without it.
        from rapidfuzz import fuzz, process

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
        cells: its answers to facets, by `<capability>/<facet>`.
    """

    id: str
    info: AgentInfo
    entries: Mapping[str, CapabilityEntry]
    as_of: AsOf | None = None
    cells: Mapping[str, Cell] = field(default_factory=dict)

    def cell(self, capability: str, facet: Facet) -> Cell | None:
        """Return its answer to a facet of a capability; None if it has none."""
        return self.cells.get(key_of(capability, facet))


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
        facets: questions about each capability, by canonical name.
        facet_phrasings: examples of how people ask for each facet, by `<capability>/<facet>`.
        whole_phrasings: those that ask for no detail of a capability, by canonical name.
    """

    folder: Path
    capabilities: tuple[CanonicalCapability, ...]
    agents: Mapping[str, Agent]
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrasings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    out_of_scope: tuple[str, ...] = ()
    category_definitions: Mapping[str, str] = field(default_factory=dict)
    facets: Facets = field(default_factory=dict)
    facet_phrasings: Mapping[str, FacetPhrasings] = field(default_factory=dict)
    whole_phrasings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
    def agent_names(self) -> "AgentNames":
        """Finds agents by what people call them: "Claude", "claude code", "copilot in vs code", and typos."""
        return AgentNames(self.agents)

    @cached_property
    def whole_aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Aliases by canonical name, without those of several and those that are a facet's phrasing by themselves."""
        asked = {fold(text) for found in self.facet_phrasings.values() for text in found.wished}
        found: dict[str, list[str]] = {name: [] for name in self.by_name}
        for alias, names in self.aliases.items():
            if len(names) == 1 and fold(alias) not in asked:
                found[names[0]].append(alias)
        return {name: tuple(aliases) for name, aliases in found.items()}

    @cached_property
    def questions(self) -> Mapping[str, str]:
        """The questions of all facets, by key."""
        return {key: facet.question for key, (_, facet) in by_key(self.facets).items()}

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


SHORTEST_TARGET: Final = 5
"""Letters of the shortest word to which a typo is corrected."""

NEAR_ENOUGH: Final = 0.7
"""Similarity (1 - edits / letters) from which an unknown name is taken for a slip, and the nearest agent is suggested.

Of made-up slips in ids and names that were not understood anyway, 100% reach it with one edit and 76% with two, and
the nearest agent is the right one. Of the names of 106 other products (cursor, aider, goose, xcode, ...), four
reach it: cloud code, pilot, copilotkit and claudette.
"""

NEAR_WHOLE: Final = 0.8
"""The same for all the words together, where a common word such as "code" makes names alike: "qwen code" and "opencode"
reach 0.75."""

_SMALL_WORDS: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "in",
        "on",
        "of",
        "for",
        "by",
        "with",
        "from",
        "inside",
        "within",
        "using",
        "via",
        "to",
        "at",
        "s",
        "my",
        "our",
        "ai",
        "agent",
        "assistant",
        "coding",
        "tool",
    ]
)


class AgentNames:
    """Finds agents of one catalog by the words that people use for them. Safe to share between threads."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        """Learn the ids, names and vendors of `agents`, and what else they are called."""
        self._ids = list(agents)
        # An id takes precedence over an equal name of another agent.
        self._exact: dict[str, str] = {}
        for id_, agent in agents.items():
            self._exact.setdefault(fold(agent.info.name), id_)
        self._exact |= {fold(id_): id_ for id_ in agents}
        self._words = {id_: _words_of(id_, agent) for id_, agent in agents.items()}
        every = Counter(word for known in self._words.values() for word in known)
        self._known = frozenset(every)
        self._shared = frozenset(word for word, times in every.items() if times > 1)
        self._spellings = {id_: _spellings_of(id_, agent) for id_, agent in agents.items()}
        # A short word such as "code" is one typo away from other products' names.
        from embeddings.text.spelling import SpellingCorrector

        self._corrector = SpellingCorrector(
            word for known in self._words.values() for word in known if len(word) >= SHORTEST_TARGET
        )

    def resolve(self, value: str) -> str:
        """Return the id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits all the words.
        """
        folded = fold(value)
        if folded in self._exact:
            return self._exact[folded]
        said = {self._corrected(word) for word in folded.split() if word not in _SMALL_WORDS}
        fitting = [id_ for id_, known in self._words.items() if said and said <= known]
        if len(fitting) == 1:
            return fitting[0]
        raise self._unplaced(value, fitting)

    def _corrected(self, word: str) -> str:
        return word if word in self._known else self._corrector.correct(word)

    def _unplaced(self, value: str, fitting: list[str]) -> CallerError:
        known, next_step = ", ".join(self._ids), "call again with one of these ids"
        if fitting:
            return CallerError(
                f"agent {brief(value)} could be {' or '.join(fitting)}; known agents: {known}; {next_step}"
            )
        near = self._nearest(value)
        if near:
            return CallerError(f"unknown agent {brief(value)}; nearest: {near}; known agents: {known}; {next_step}")
        return CallerError(
            f"agent {brief(value)} is not covered; covered agents: {known}; {next_step}, or say that the catalog "
            "does not cover it"
        )

    def _nearest(self, value: str) -> str | None:
        """Return the agent whose id or name the value, or one of its words, nearly spells; None if there is none."""
        folded = fold(value[:SHOWN])
        whole, words = folded.replace(" ", ""), [word for word in folded.split() if word not in self._shared]
        likeness = {id_: (_likeness(words, known), _likeness([whole], known)) for id_, known in self._spellings.items()}
        near = [
            id_ for id_, (by_word, by_whole) in likeness.items() if by_word >= NEAR_ENOUGH or by_whole >= NEAR_WHOLE
        ]
        # "copilot-cfi" has a word of two agents; the whole tells which.
        return max(near, key=lambda id_: likeness[id_][1], default=None)


def _likeness(said: list[str], spellings: set[str]) -> float:
    from rapidfuzz.distance import OSA

    return max((OSA.normalized_similarity(one, other) for one in said for other in spellings), default=0)


def _spellings_of(id_: str, agent: Agent) -> set[str]:
    """Id and name without spaces, and the long words of the id."""
    whole = {fold(id_).replace(" ", ""), fold(agent.info.name).replace(" ", "")}
    return whole | {word for word in fold(id_).split() if len(word) >= SHORTEST_TARGET}


def _words_of(id_: str, agent: Agent) -> set[str]:
    called = (id_, agent.info.name, agent.info.vendor or "", *agent.info.also_known_as)
    return {word for name in called for word in fold(name).split()} - _SMALL_WORDS
