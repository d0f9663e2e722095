"""What a caller's words ask for: needs, each with the headings and the facets that it may mean."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from embeddings.ranking.match_result import MatchResult
from server.catalog.facets import Facets, key_of
from server.matching.facet_reader import FacetMatch, FacetReading
from server.matching.need import Need

MAX_NEEDS: Final = 3
"""Needs in one phrase that are answered one by one."""


CLEAR: Final = 0.3
"""Probability from which a facet of the heading that is meant is answered about one agent."""


@dataclass(frozen=True)
class AskedNeed:
    """One need, as it was understood.

    Attributes:
        need: its words.
        result: the headings that they may mean.
        reading: the facets that they may mean.
        narrowed: keys of facets that have to hold as well, because of what is wanted beside it; see `beside`.
    """

    need: Need
    result: MatchResult
    reading: FacetReading
    narrowed: tuple[str, ...] = ()

    @property
    def facet(self) -> FacetMatch | None:
        """The facet that is answered; None if none is meant."""
        return self.reading.facets[0] if self.reading.decision != "no_match" and self.reading.facets else None

    def settled(self) -> "AskedNeed":
        """Return the need with its facet only if that is clear: by itself, or within the heading that is meant."""
        facet, first = self.facet, self.result.matches[0].name
        inside = self.result.decision == "resolved" and facet is not None and facet.capability == first
        clear = facet is not None and (self.reading.decision == "resolved" or (inside and facet.confidence >= CLEAR))
        return replace(self, reading=replace(self.reading, decision="resolved" if clear else "no_match"))

    def beside(self, others: Iterable["AskedNeed | None"], facets: Facets) -> "AskedNeed":
        """Return the need with the conditions that others put on it which are wanted together with it.

        "shell commands are sandboxed" beside "runs on Windows" wants a sandbox that works on Windows.
        """
        if self.opposite:
            return self
        wanted = {need.facet.key for need in others if need and need.facet and not need.opposite}
        name, own = self.capability or "", self.facet.key if self.facet else None
        narrowing = (key_of(name, facet) for facet in facets.get(name, ()) if wanted.intersection(facet.narrows))
        return replace(self, narrowed=tuple(key for key in narrowing if key != own))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Keys of the facets that have to hold as well."""
        return tuple(dict.fromkeys((*(self.facet.conditions if self.facet else ()), *self.narrowed)))

    @property
    def alternatives(self) -> tuple[FacetMatch, ...]:
        """Another facet that may be meant instead."""
        return self.reading.facets[1:2] if self.reading.decision == "ambiguous" else ()

    @property
    def opposite(self) -> bool:
        """Whether it is the opposite of what is answered, so that verdicts are turned."""
        return self.facet.opposite if self.facet else self.capability in self.reading.left_out | self.reading.off

    @property
    def spares(self) -> bool:
        """Whether what is answered only need not be there, or is to be turned off: an agent that has it may do."""
        off = self.facet is None and self.capability in self.reading.off
        return self.opposite and (off or self.need.exclusion.is_optional)

    @property
    def heading_confidence(self) -> float:
        """Probability that the heading of the facet is meant, by the headings alone."""
        name = self.facet.capability if self.facet else None
        return next((match.match_confidence for match in self.result.matches if match.name == name), 0.0)

    @property
    def capability(self) -> str | None:
        """The heading that answers; None if it is unclear."""
        if self.facet is not None:
            return self.facet.capability
        return self.result.matches[0].name if self.result.decision == "resolved" else None


@dataclass(frozen=True)
class Asked:
    """What a phrase asks for.

    Attributes:
        whole: the caller's words read as one need.
        parts: the needs in them if they are several, at most `MAX_NEEDS`; else none.
    """

    whole: AskedNeed
    parts: tuple[AskedNeed, ...] = ()

    @property
    def needs(self) -> tuple[AskedNeed, ...]:
        """The needs that are answered."""
        return self.parts or (self.whole,)


def distinct(parts: Iterable[AskedNeed]) -> tuple[AskedNeed, ...]:
    """Return the parts that are understood and ask for different things; none unless two are left."""
    found: dict[tuple[str, str | None], AskedNeed] = {}
    for part in parts:
        if part.capability is not None:
            found.setdefault((part.capability, part.facet.key if part.facet else None), part)
    return tuple(found.values())[:MAX_NEEDS] if len(found) > 1 else ()
