"""Finds tools by meaning: which tool an intent or a misremembered name refers to."""

import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final, Protocol

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, decide
from embeddings.ranking.match_result import Decision, Match, MatchResult
from embeddings.ranking.pauses import pausable
from server.errors import CallerError, brief, nearest
from server.matching.encoders import EncoderLoader
from server.matching.label_service import LONGEST_PHRASE
from server.matching.matcher_provider import MatcherProvider
from server.paths import shipped_data
from server.tools.definition import Tool
from server.tools.families import FAMILIES
from server.toolset.source import Permitted

if TYPE_CHECKING:
    from embeddings.matcher import Matcher

MAX_RANKED: Final = 100
"""Tools that are ranked for an intent, the likeliest; the others would cost a third of the search. The decision is the
matcher's, of all tools: of a need that resembles many, the others may have a tenth of the probability together."""

INTENTS_FILE: Final = "tool-intents.json"
VECTORS_FILE: Final = "tool-vectors.npz"


def tool_book(tools: Sequence[Tool]) -> PhraseBook:
    """Tools as the matcher sees them: names, titles, descriptions, docs, and how people ask for them."""
    intents = read_intents()
    return PhraseBook(
        labels=tuple(
            Label(
                name=tool.name,
                aliases=(tool.title,),
                description=f"{tool.description} {tool.docs} {FAMILIES[tool.family]}",
                phrasings=tuple(intents["tools"].get(tool.name, ())),
            )
            for tool in tools
        ),
        out_of_scope=tuple(intents["outOfScope"]),
    )


def read_intents() -> dict[str, Any]:
    """Return how people ask for the tools: `{"tools": {name: [phrasing]}, "outOfScope": [phrasing]}`."""
    path = shipped_data() / INTENTS_FILE
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


class ToolsMatcher(Protocol):
    """Matches needs against tools; see `MeaningFinder`. Safe to share between threads."""

    @property
    def size(self) -> int:
        """Maximum tools that a match can have."""

    @property
    def is_degraded(self) -> bool:
        """Whether tools are found by names and words alone for now."""

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        """Find the tools that a phrase can mean; see `Matcher.match`."""


class MeaningFinder(ABC):
    """Finds tools with a matcher that has a label for each: its id is the tool's full name, or else its name is."""

    @property
    @abstractmethod
    def matcher(self) -> ToolsMatcher | None:
        """The matcher to ask now; None if there are no tools to find."""

    @property
    @abstractmethod
    def family_of(self) -> Mapping[str, str]:
        """The family of each tool that the matcher may find."""

    @property
    def degraded(self) -> bool:
        """Whether tools are matched without the model or the vectors."""
        matcher = self.matcher
        return matcher is not None and matcher.is_degraded

    def find(self, intent: str, permitted: Permitted) -> MatchResult:
        """Find the permitted tools that serve an intent; only one if the intent is its name.

        The decision is the matcher's if none of the tools that it ranks is left out. Otherwise it is made of those that
        are left, and what the others have of the probability counts for `no_match`.

        Raises:
            CallerError: the intent is blank.
        """
        if not intent.strip():
            raise CallerError(
                f"the intent is blank ({brief(intent)}); it must say what is to be done; "
                "describe the task, such as 'choose an agent for our team'"
            )
        matcher = self.matcher
        if matcher is None:
            return MatchResult(intent, "no_match", self.degraded, (), 1.0)
        found = ranked(matcher, intent)
        matches = self._in_order([match for match in found.matches if self._is_offered(tool_of(match), permitted)])
        return narrowed(found, matches)

    def _is_offered(self, name: str, permitted: Permitted) -> bool:
        return name in self.family_of and permitted.permits_called(name)

    def _in_order(self, matches: Sequence[Match]) -> tuple[Match, ...]:
        """Return the matches best first; of equal ones, those of the family that fits best.

        They add up to at most 1.
        """
        families: dict[str, float] = defaultdict(float)
        for match in matches:
            families[self.family_of[tool_of(match)]] += match.match_confidence
        whole = max(1.0, sum(families.values()))
        ranked = sorted(matches, key=lambda match: (-match.match_confidence, -families[self.family_of[tool_of(match)]]))
        if whole == 1:
            return tuple(ranked)
        return tuple(replace(match, match_confidence=match.match_confidence / whole) for match in ranked)

    def nearest(self, name: str, known: Sequence[str], count: int = 3) -> list[str]:
        """Return the known names nearest to an unknown one, alternately by spelling and by meaning."""
        spelled = nearest(name, known, len(known))
        words = name.replace("_", " ").replace("-", " ").strip()
        meant: list[str] = []
        if words:
            permitted = set(known)
            matcher = self.matcher
            found = matcher.match(words[:200], matcher.size).matches if matcher else ()
            meant = [tool for tool in map(tool_of, found) if tool in permitted]
        # The best of both come first: a typo is nearest by spelling, a different wording by meaning.
        turns = chain.from_iterable(zip_longest(spelled, meant))
        return list(dict.fromkeys(tool for tool in turns if tool))[:count]


def tool_of(match: Match) -> str:
    """Return the full name of the tool that was matched."""
    return match.id or match.name


def decision_of(confidences: Sequence[float], none: float = 0.0) -> Decision:
    """Decide between tools, best first, and "none of them"."""
    return decide(confidences, max(0.0, none), DEFAULT_COSTS) if confidences else "no_match"


def narrowed(found: MatchResult, kept: tuple[Match, ...]) -> MatchResult:
    """Return what was found with the matches that are kept; what the others have of the probability counts for none."""
    if len(kept) == len(found.matches):
        return replace(found, matches=kept)
    shares = [match.match_confidence for match in kept]
    left_out = sum(match.match_confidence for match in found.matches) - sum(shares)
    return replace(found, matches=kept, decision=decision_of(shares, found.none_confidence + left_out))


def sure(wanted: str, shares: Mapping[str, float], *, degraded: bool) -> MatchResult:
    """Return the result for a need that names something.

    Args:
        wanted: the need.
        shares: probabilities by id, the largest first; they add up to 1.
        degraded: whether others would be found by names and words alone.
    """
    matches = tuple(Match(name, share, "exact", id=name) for name, share in shares.items())
    return MatchResult(wanted, decision_of(list(shares.values())), degraded, matches)


def ranked(matcher: ToolsMatcher, intent: str) -> MatchResult:
    """Match an intent with the likeliest tools; only with the one that it names."""
    with pausable():
        found = matcher.match(intent[:LONGEST_PHRASE], min(MAX_RANKED, matcher.size))
    return replace(found, matches=found.matches[:1]) if _is_named(found) else found


def _is_named(found: MatchResult) -> bool:
    """Return whether the phrase is the name of the first tool."""
    first = found.matches[0] if found.matches else None
    return first is not None and first.matched_by in ("exact", "alias") and first.match_confidence == 1


class ToolMatcher(MeaningFinder):
    """Matches intents against the registered tools. Safe to share between threads; loads when it is first needed."""

    family_of: Mapping[str, str] = {}

    def __init__(self, tools: Sequence[Tool], loader: EncoderLoader) -> None:
        """Match against `tools`, with the encoder that `loader` loads."""
        self._tools = tuple(tools)
        self._loader = loader
        self._provider: MatcherProvider | None = None
        self.family_of = {tool.name: tool.family for tool in self._tools}

    @property
    def matcher(self) -> "Matcher":
        """The matcher of the tools' texts and vectors."""
        if self._provider is None:
            self._provider = MatcherProvider(tool_book(self._tools), [shipped_data() / VECTORS_FILE], self._loader)
        # Waits for the load. Shipped tools have vectors; if a tool was added, all are embedded once, within a minute.
        return self._provider.load()
