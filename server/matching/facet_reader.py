"""Finds the facet that a need asks for, in a catalog whose labels are the facets and each heading as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import Decision, MatchResult
from embeddings.text.exclusion import Exclusion, read_exclusion
from server.catalog.catalog import Catalog
from server.catalog.facets import Facet, key_of
from server.matching.encoders import EncoderLoader
from server.matching.matcher_provider import MatcherProvider
from server.matching.need import Need

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher

FACET_VECTORS_FILE: Final = "facet-vectors.npz"

LOOKED_AT: Final = 8
"""Candidates whose wording is compared with what a need leaves out."""


@dataclass(frozen=True)
class FacetMatch:
    """A facet that a need may ask for.

    Attributes:
        capability: whose facet it is.
        facet: the facet.
        confidence: probability in [0, 1] that it is meant.
        opposite: whether the need is the opposite of the facet, so that its verdict is turned.
    """

    capability: str
    facet: Facet
    confidence: float
    opposite: bool = False

    @property
    def key(self) -> str:
        """Its name among the facets of all capabilities."""
        return key_of(self.capability, self.facet)


@dataclass(frozen=True)
class FacetReading:
    """What a need asks for.

    Attributes:
        decision: `resolved` if the first facet is meant; `ambiguous` if another one may be meant as well; `no_match` if
            no facet is meant.
        facets: the likeliest facets, the likeliest first.
        wholes: probabilities of headings as a whole.
    """

    decision: Decision
    facets: tuple[FacetMatch, ...] = ()
    wholes: Mapping[str, float] | None = None


def facet_book(catalog: Catalog) -> PhraseBook:
    """Return the facets, and each capability as a whole, as labels."""
    aliases: dict[str, list[str]] = {capability.name: [] for capability in catalog.capabilities}
    for alias, names in catalog.aliases.items():
        for name in names if len(names) == 1 else ():
            aliases[name].append(alias)
    labels = [
        Label(
            name=capability.name,
            aliases=tuple(aliases[capability.name]),
            description=capability.definition,
            phrasings=catalog.whole_phrasings.get(capability.name, ()),
        )
        for capability in catalog.capabilities
    ]
    for name, facets in catalog.facets.items():
        for facet in facets:
            asked = catalog.facet_phrasings[key_of(name, facet)]
            labels.append(
                Label(key_of(name, facet), description=facet.question, phrasings=asked.wished + asked.against)
            )
    return PhraseBook(tuple(labels), catalog.out_of_scope)


class FacetSource:
    """Keeps the matcher of a catalog's facets beside that of its capabilities; see `Companion`."""

    def __init__(self, catalog: Catalog, files: Sequence[Path], loader: EncoderLoader) -> None:
        """Provide the facets of a catalog, whose vectors may be stored in one of `files`."""
        self._provider = MatcherProvider(facet_book(catalog), files, loader)
        self._empty = not catalog.facets
        self.matcher: Matcher | None = None
        """None in degraded mode, while it is built, and if there are no facets."""

    def load(self, encoder: "TextEncoder") -> bool:
        """Load stored or cached vectors. Returns whether nothing is left to build."""
        self.matcher = None if self._empty else self._provider.find(encoder)
        return self._empty or self.matcher is not None

    def build(self, encoder: "TextEncoder") -> None:
        """Embed the facets with all cores, and keep the result if the cache can be written."""
        self.matcher = self._provider.build(encoder)


class FacetReader:
    """Reads needs for one catalog. Safe to share between threads."""

    def __init__(self, catalog: Catalog) -> None:
        """Learn how the facets are worded."""
        self._facets = {key_of(name, facet): (name, facet) for name, found in catalog.facets.items() for facet in found}
        self._wordings = {key: read_exclusion(facet.question) for key, (_, facet) in self._facets.items()}
        self._against = {key: frozenset(texts.against) for key, texts in catalog.facet_phrasings.items()}

    def read(self, need: Need, matcher: "Matcher") -> FacetReading:
        """Find the facets that a need may ask for.

        Args:
            need: the need.
            matcher: that of `facet_book`.
        """
        result = matcher.match(need.text, LOOKED_AT)
        if result.matches[0].matched_by in ("exact", "alias"):
            return FacetReading("no_match")
        return self._weighed(result, need.exclusion)

    def _weighed(self, result: MatchResult, need: Exclusion) -> FacetReading:
        wholes = {found.name: found.match_confidence for found in result.matches if found.name not in self._facets}
        found = [
            FacetMatch(
                *self._facets[match.name],
                match.match_confidence * _fit(need, self._wordings[match.name]),
                opposite=_is_opposite(need, self._wordings[match.name]),
            )
            for match in result.matches
            if match.name in self._facets
        ]
        return FacetReading(result.decision, tuple(sorted(found, key=lambda facet: -facet.confidence)), wholes)


def _fit(need: Exclusion, facet: Exclusion) -> float:
    return 1.0


def _is_opposite(need: Exclusion, facet: Exclusion) -> bool:
    return bool(need.excluded & facet.wanted) and not need.excluded & facet.excluded
