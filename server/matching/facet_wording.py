"""How facets are worded: what they want, what they leave out, and whether a need is the opposite of one."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from embeddings.text.exclusion import Exclusion, content, read_exclusion
from server.catalog.facets import Facet, FacetPhrasings

_RESTRICTING: Final = "forbid restrict limit block disable prevent hide"
_RESTRICTS: Final = re.compile(
    rf"^can\s(?:\w+\s){{1,3}}(?:{_RESTRICTING.replace(' ', '|')})\b|\b(?:turn|switch)(?:ed|\s[\w\s]+)\soff\b"
    r"|\b(?:kept|keep\s[^?]+)\sfrom\b",
    re.IGNORECASE,
)
"""How a facet is worded that hopes that something can be kept out, or less of it allowed."""

_RESTRICTED: Final = content(_RESTRICTING)
"""Stems by which a need leaves out the restriction itself."""


@dataclass(frozen=True)
class Wording:
    """How a facet is worded, in stems.

    Attributes:
        wanted: what its question wants, and what it is about.
        excluded: what its question leaves out.
        against: what phrasings that hope for its opposite leave out.
        heading: what its capability is called.
        denied: what its question denies.
        restricts: whether it hopes that something can be forbidden or turned off.
        count: how many facets want each stem.
    """

    wanted: frozenset[str]
    excluded: frozenset[str]
    against: frozenset[str]
    heading: frozenset[str]
    denied: frozenset[str] = frozenset()
    restricts: bool = False
    count: Mapping[str, int] = field(default_factory=dict)

    @property
    def own(self) -> frozenset[str]:
        """What it says beside the name of its capability."""
        return (self.wanted | self.excluded | self.against) - self.heading

    def _weight(self, stems: frozenset[str]) -> float:
        """Return how much stems say: one that many facets want says little."""
        return sum(1 / self.count.get(stem, 1) for stem in stems)

    def is_opposite(self, need: Exclusion) -> bool:
        """Return whether a need leaves out what the facet is about."""
        if need.states and need.wanted & self.excluded:
            return True
        if not need.excluded or need.excluded & self.excluded:
            return False
        if self.restricts and not need.excluded & _RESTRICTED:
            # What a need leaves out is what the facet keeps out.
            return False
        left_out = need.excluded & (self.wanted | self.against | self.heading)
        about = need.wanted & self.wanted
        more_of_it = left_out and (
            self._weight(left_out) >= self._weight(about) or (len(left_out) >= len(about) and not need.contrasts)
        )
        return bool(more_of_it) or (need.is_whole and not self.excluded)

    def is_denied(self, need: Exclusion) -> bool:
        """Return whether a wish denies what the facet hopes for."""
        if not need.denies or self.restricts or self.denied.intersection(need.denied):
            return False
        return not self.excluded or bool(need.wanted.difference(need.denied) & self.excluded)

    def is_unwanted(self, need: Exclusion) -> bool:
        """Return whether the facet is about what a need that wants more leaves out."""
        beside = need.excluded & (self.wanted - need.wanted) and not need.wanted & self.wanted
        return bool(beside and need.wanted and not need.excluded & self.excluded)

    def wants_left_out(self, need: Exclusion) -> bool:
        """Return whether a need wants what the facet leaves out."""
        return bool(need.wanted.difference(need.denied) & self.excluded) and not need.states


CONTRARIES: Final = {"free": "paid paying subscription", "offlin": "online network"}
"""What a facet that wants something is free of without saying so, by the stem of what it wants."""

COMMON: Final = 0.4
"""Share of a facet's phrasings from which a stem in them is what the facet is about."""


def wording(capability: str, facet: Facet, phrasings: FacetPhrasings) -> Wording:
    """Return how a facet of a capability is worded, by its question and its phrasings."""
    question = read_exclusion(facet.question)
    turned = frozenset(stem for text in phrasings.against for stem in read_exclusion(text).excluded)
    count = Counter(stem for text in phrasings.wished for stem in content(text))
    common = {stem for stem, times in count.items() if times >= COMMON * len(phrasings.wished)}
    named = content(facet.id.replace("-", " ")) if not question.excluded else frozenset()
    wanted = question.wanted | ((common | named) - question.excluded)
    contrary = content(" ".join(words for stem, words in CONTRARIES.items() if stem in wanted))
    return Wording(
        wanted,
        question.excluded | (contrary - wanted),
        turned,
        content(capability),
        frozenset(question.denied),
        bool(_RESTRICTS.search(facet.question)),
    )
