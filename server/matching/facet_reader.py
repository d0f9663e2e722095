"""Finds the facet that a need asks for, in a catalog whose labels are the facets and each heading as a whole."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import Decision, MatchResult
from embeddings.text.exclusion import Exclusion, content
from embeddings.text.normalization import fold
from server.catalog.catalog import Catalog
from server.catalog.facets import Facet, by_key, key_of
from server.matching.encoders import EncoderLoader
from server.matching.facet_wording import Wording, wording
from server.matching.matcher_provider import MatcherProvider
from server.matching.need import Need

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher

FACET_VECTORS_FILE: Final = "facet-vectors.npz"

MAX_OUTSIDE: Final = 450
"""About how many out-of-scope phrases, spread evenly over their list, the facets are told apart from.

With 451 of the 4,510, 0.891 of the 110 questions of `benchmarks/facet_questions.jsonl` have a right facet first, with
all 0.873, and the file has 8.4 instead of 12.5 MB; with 301, two of 8 questions that nothing answers get a facet."""

PLATFORMS: Final = {
    "linux": re.compile(r"\b(?:linux|ubuntu|debian|fedora)\b", re.IGNORECASE),
    "macos": re.compile(r"\b(?:mac ?os|macs?|macbook|os ?x)\b", re.IGNORECASE),
    "windows": re.compile(r"\b(?:windows|win1[01])\b", re.IGNORECASE),
}
"""Words for the systems that facets ask about."""

_REQUIRES: Final = re.compile(r"^(?:it\s)?(?:needs|requires|asks|costs|takes|depends|relies)\b", re.IGNORECASE)
"""How a wish begins that states a drawback, which nobody wishes for."""

_EITHER: Final = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
"""With it, one of several platforms is enough."""

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
        instead: if the facet is a way that the need leaves out, the keys of the other ways, one of which is enough.
        conditions: keys of the facets on the other platforms that the need names, which have to hold as well.
    """

    capability: str
    facet: Facet
    confidence: float
    opposite: bool = False
    instead: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

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
        left_out: the capabilities that the need leaves out as a whole, as "no telemetry" does.
        off: the capabilities that a wish wants turned off.
    """

    decision: Decision
    facets: tuple[FacetMatch, ...] = ()
    left_out: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()


def facet_book(catalog: Catalog) -> PhraseBook:
    """Return the facets, and each capability as a whole, as labels."""
    labels = [
        Label(
            name=capability.name,
            aliases=catalog.whole_aliases[capability.name],
            description=capability.definition,
            phrasings=catalog.whole_phrasings.get(capability.name, ()),
        )
        for capability in catalog.capabilities
    ]
    for name, facets in catalog.facets.items():
        for facet in facets:
            texts = catalog.facet_phrasings[key_of(name, facet)]
            labels.append(
                Label(key_of(name, facet), description=facet.question, phrasings=texts.wished + texts.against)
            )
    return PhraseBook(tuple(labels), catalog.out_of_scope[:: max(1, len(catalog.out_of_scope) // MAX_OUTSIDE)])


class FacetSource:
    """Keeps the matcher of a catalog's facets beside that of its capabilities; see `Companion`."""

    def __init__(self, catalog: Catalog, files: Sequence[Path], loader: EncoderLoader) -> None:
        """Provide the facets of a catalog, whose vectors may be stored in one of `files`."""
        self._catalog, self._files, self._loader = catalog, files, loader

    @property
    def matcher(self) -> "Matcher | None":
        """None in degraded mode, while it is built, and if there are no facets."""
        return self._provider.get() if self._catalog.facets and self._provider.ready else None

    def take_from(self, other: "FacetSource") -> None:
        """Do not embed again what is embedded in another source."""
        if self._catalog.facets and other.matcher is not None:
            self._provider.take_from(other._provider)

    def load(self, encoder: "TextEncoder") -> bool:
        """Load stored or cached vectors. Returns whether nothing is left to build."""
        if not self._catalog.facets:
            return True
        found = self._provider.find(encoder)
        if found is None:
            return False
        self._provider.offer(found)
        return not found.is_approximate

    def build(self, encoder: "TextEncoder") -> None:
        """Embed what is new of the facets with all cores, and keep the result if the cache can be written."""
        self._provider.offer(self._provider.build(encoder))

    @cached_property
    def _provider(self) -> MatcherProvider:
        """Of the facets' book, which is made when it is loaded, after the server has listed its tools."""
        return MatcherProvider(facet_book(self._catalog), self._files, self._loader)


FLOOR: Final = 0.01
"""Probability that a heading has at least, which is added to that of the match."""

SHARE: Final = 0.5
"""Power with which the probability of its heading counts for a facet."""

LEAST: Final = 0.15
"""Probability from which a facet can be meant."""

LEAD: Final = 0.5
"""How likely a facet is at least, as a share of the likeliest heading as a whole, to be answered."""

OVER_NONE: Final = 6.0
"""How many times likelier than "none" a facet is at least to be answered.

With these five, 98 of the 110 questions about details in `benchmarks/facet_questions.jsonl`, by an author who had not
seen the facets, are answered by a facet, 89 of these by a right one (first 0.891, among three 0.982); so are 11 of the
100 about a heading as a whole in `plain_questions.jsonl`. The labels are of one reader, who knew the facets;
`python -m benchmarks.answers` measures it again. Of the 302 phrases of `apart_kinds` and `apart_needs` that no heading
serves, 35 are answered by a facet (some rightly, as by "is it open source"); with a third of `OVER_NONE`, 47, and with
10, 28, but then three cells more are wrong where an agent is chosen.
"""

CLEAR_LEAD: Final = 2.0
"""How many times likelier the first heading is than the second from which it counts although the need is ambiguous.

Of the 292 queries of `benchmarks/dev.jsonl`, 43 are ambiguous; 35 have this lead, and the first is right in 29 of them.
"""

SURE: Final = 0.5
"""Probability from which a facet is `resolved`."""

UNWANTED: Final = 0.3
"""What is left of the probability of a facet that is about what a need leaves out, or leaves out what it wants.

Nothing is left if a wish wants what the facet leaves out: of the 300 pairs in `benchmarks/opposite_needs.jsonl`, 269
are told apart; with this share for wishes, too, 251."""


class FacetReader:
    """Reads needs for one catalog. Safe to share between threads."""

    def __init__(self, catalog: Catalog) -> None:
        """Read for a catalog; how its facets are worded is learnt with the first need."""
        self._catalog = catalog
        self._facets = by_key(catalog.facets)

    @cached_property
    def _wholes(self) -> frozenset[str]:
        """Names and aliases of capabilities as a whole, folded."""
        aliases = self._catalog.whole_aliases
        return frozenset(fold(called) for name, others in aliases.items() for called in (name, *others))

    @cached_property
    def _called(self) -> dict[frozenset[str], str]:
        """Capabilities by the stems of their names and aliases; what several share stands for the last of them."""
        aliases = self._catalog.whole_aliases
        stems = {content(called): name for name, others in aliases.items() for called in (*others, name)}
        return {called: name for called, name in stems.items() if called}

    @cached_property
    def _defined(self) -> dict[str, frozenset[str]]:
        """The stems of each capability's name and definition."""
        return {each.name: content(f"{each.name} {each.definition}") for each in self._catalog.capabilities}

    @cached_property
    def _wordings(self) -> "dict[str, Wording]":
        phrasings = self._catalog.facet_phrasings
        found = {key: wording(name, facet, phrasings[key]) for key, (name, facet) in self._facets.items()}
        count = Counter(stem for each in found.values() for stem in each.wanted)
        return {key: replace(each, count=count) for key, each in found.items()}

    def read(self, need: Need, headings: MatchResult, matcher: "Matcher") -> FacetReading:
        """Find the facets that a need may ask for.

        Args:
            need: the need.
            headings: what the need was matched to.
            matcher: that of `facet_book`.
        """
        # Read in clauses, too, this takes 2.2 instead of 1.5 ms. Of 742 questions and needs of `benchmarks/answers.py`,
        # 8 are then answered otherwise, most of them several needs at once; its totals stay the same but for one right
        # facet more among three.
        result = matcher.match(need.text, LOOKED_AT, in_clauses=False)
        if result.matches[0].matched_by in ("exact", "alias") or fold(need.asked_about) in self._wholes:
            return FacetReading("no_match")
        decision, facets = self._weighed(need, headings, result)
        turned = facets[0] if facets and facets[0].opposite else None
        if turned and need.exclusion.contrasts and need.wanted != need.text:
            wanted = self.read(replace(need, text=need.wanted), headings, matcher)
            if not wanted.facets or wanted.facets[0].key != turned.key:
                return wanted
        if turned and self._leaves_out_all(turned.key, need.exclusion):
            decision = "no_match"
        off = self._named(need.exclusion.off) if need.is_wish else frozenset()
        return FacetReading(decision, tuple(facets), self._left_out(need), off)

    def _weighed(self, need: Need, headings: MatchResult, result: MatchResult) -> tuple[Decision, list[FacetMatch]]:
        """Weigh what a need was matched to among facets by what it was matched to among headings."""
        sure = {match.name: match.match_confidence for match in headings.matches}
        weighed = {
            match.name: match.match_confidence * (sure.get(match.name.partition("/")[0], 0.0) + FLOOR) ** SHARE
            for match in result.matches
        }
        none = result.none_confidence * (headings.none_confidence + FLOOR) ** SHARE
        left_out = need.exclusion
        if need.is_wish and not _REQUIRES.match(need.text):
            left_out = replace(left_out, states=False)
        found = [self._match(key, share, need, left_out) for key, share in weighed.items() if key in self._facets]
        others = [share for key, share in weighed.items() if key not in self._facets]
        total = sum(facet.confidence for facet in found) + sum(others) + none
        facets = sorted((replace(facet, confidence=facet.confidence / total) for facet in found), key=_by_confidence)
        decision = _decision(facets, max(others, default=0.0) / total, none / total)
        if decision == "ambiguous" and facets[0].capability not in _open_headings(headings):
            decision = "no_match"
        return decision, facets

    def named_as_left_out(self, need: Need) -> frozenset[str]:
        """Return the capabilities of which a need leaves out a name or an alias, all its words."""
        return self._named(need.exclusion.excluded - need.exclusion.off)

    def _named(self, stems: frozenset[str]) -> frozenset[str]:
        return frozenset(name for called, name in self._called.items() if called <= stems) if stems else stems

    def _leaves_out_all(self, key: str, need: Exclusion) -> bool:
        """Return whether a need leaves out the capability of a facet, and says nothing about the facet."""
        named = need.is_whole and need.excluded in self._called
        return named or not (need.excluded | need.wanted) & self._wordings[key].own

    def _left_out(self, need: Need) -> frozenset[str]:
        """Return the capabilities that a need leaves out by name, or that a wish denies which says little else."""
        denied = need.exclusion.denied
        is_denial = need.is_wish and len(need.exclusion.wanted.difference(denied)) <= 1
        verb = denied[:1] if is_denial else ()
        named = frozenset(name for name, stems in self._defined.items() if stems.intersection(verb))
        return self.named_as_left_out(need) | named

    def _match(self, key: str, share: float, need: Need, left_out: Exclusion) -> FacetMatch:
        worded, (name, facet) = self._wordings[key], self._facets[key]
        opposite = worded.is_opposite(left_out) or (need.is_wish and worded.is_denied(left_out))
        kept = 1.0
        if not opposite and worded.wants_left_out(left_out):
            kept = 0.0 if need.is_wish else UNWANTED
        elif worded.is_unwanted(left_out):
            kept = UNWANTED
        return FacetMatch(
            name,
            facet,
            share * kept,
            opposite,
            self._other_ways(name, facet) if opposite and facet.way else (),
            self._conditions(name, facet, need.text),
        )

    def _other_ways(self, name: str, facet: Facet) -> tuple[str, ...]:
        ways = (other for other in self._catalog.facets[name] if other.way and other is not facet)
        return tuple(key_of(name, other) for other in ways)

    def _conditions(self, name: str, facet: Facet, text: str) -> tuple[str, ...]:
        """Return the keys of the facets on the platforms that a need names, beside that of the facet itself."""
        named = {system for system, words in PLATFORMS.items() if words.search(text)} - {facet.platform}
        if len(named) > 1 and _EITHER.search(text):
            return ()
        return tuple(key_of(name, other) for other in self._catalog.facets[name] if other.platform in named)


def _open_headings(headings: MatchResult) -> set[str]:
    """Return the headings that may be meant: the one that is resolved or clearly leads, or all."""
    only = headings.decision == "resolved" or leads(headings)
    return {match.name for match in headings.matches[: 1 if only else None]}


def leads(headings: MatchResult) -> bool:
    """Return whether the first heading is clearly likelier than the second."""
    first, *others = headings.matches
    return not others or first.match_confidence >= CLEAR_LEAD * others[0].match_confidence


def _by_confidence(facet: FacetMatch) -> tuple[float, str]:
    return -facet.confidence, facet.key


def _decision(facets: Sequence[FacetMatch], other: float, none: float) -> Decision:
    if not facets or facets[0].confidence < max(LEAST, LEAD * other, OVER_NONE * none):
        return "no_match"
    return "resolved" if facets[0].confidence >= SURE else "ambiguous"
