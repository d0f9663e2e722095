"""A caller without a language model: the tool by meaning, agents by name, the capability by the matcher.

It is the least that a model has to beat, and shows that the harness works where no model is at hand.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from embeddings.match_result import Match
from embeddings.text import fold
from server.harness.agent_mentions import mentioned, speaks_of_all
from server.harness.recording import Call, Recording
from server.service import Service
from server.tool_matcher import ToolMatcher
from server.tools import registry

LOOKUP: Final = "lookup_capability"
COMPARE: Final = "compare_capability"
LIST: Final = "list_capabilities"
SOURCES: Final = "get_sources"

STANDS_FOR: Final = {"recommend_agent": COMPARE, "feature_parity": LIST, "catalog_status": SOURCES}
"""What the four tools have for what others are made for, which the router does not call."""

MORE_LIKELY_THAN_NOT: Final = 0.5
"""What a probability is held against: the calibrated confidences need no other threshold."""

_BREAKS: Final = re.compile(r"(?<=[.!?;:])\s+|\s[-–—]+\s|\n+")
"""Where one sentence or clause ends and another begins."""


class Router:
    """Routes one prompt to at most one call."""

    def __init__(self, service: Service) -> None:
        """Route over a service's catalog."""
        self._service = service
        self._tools = ToolMatcher(registry.TOOLS, service.loader)

    def route(self, text: str) -> Recording:
        """The call that a prompt asks for; none where no tool seems to serve it."""
        agents, rest = mentioned(text, self._service.catalog.agents)
        pieces = _pieces(rest)
        tool = self._tool(_pieces(text), pieces, agents)
        if tool is None:
            return Recording(input=text)
        return Recording(input=text, calls=(Call(tool=tool, arguments=self._arguments(tool, agents, pieces)),))

    def _tool(self, whole: list[str], pieces: list[str], agents: list[str]) -> str | None:
        """What the text asks for: sources or a list where a sentence of it does, else a capability of these agents."""
        confidences = [self._confidences(piece) for piece in whole]
        sources = max(each.get(SOURCES, 0.0) for each in confidences)
        listed = max(each.get(LIST, 0.0) for each in confidences)
        one_need = max(each.get(LOOKUP, 0.0) + each.get(COMPARE, 0.0) for each in confidences)
        best = max(sources, listed, one_need)
        if best < MORE_LIKELY_THAN_NOT and not self._asks_of_agents(whole[0], pieces, agents):
            return None
        # A need is told in many sentences; that its sources are wanted, in one.
        if sources >= max(MORE_LIKELY_THAN_NOT, listed):
            return SOURCES
        # A list is of one agent or of a category, so several agents that are named are compared.
        if listed == best and listed >= MORE_LIKELY_THAN_NOT and len(agents) < 2:
            return LIST
        return LOOKUP if len(agents) == 1 else COMPARE

    def _asks_of_agents(self, text: str, pieces: list[str], agents: list[str]) -> bool:
        """Whether a text speaks of agents and of something that the catalog has."""
        spoken_of = bool(agents) or speaks_of_all(text)
        return spoken_of and self._best(pieces).match_confidence >= MORE_LIKELY_THAN_NOT

    def _confidences(self, text: str) -> dict[str, float]:
        """The probability of each tool, those that stand for others with theirs."""
        found: dict[str, float] = {}
        for name, confidence in self._tools.confidences(text).items():
            tool = STANDS_FOR.get(name, name)
            found[tool] = found.get(tool, 0.0) + confidence
        return found

    def _arguments(self, tool: str, agents: list[str], pieces: list[str]) -> dict[str, Any]:
        one: dict[str, Any] = {"agent": agents[0]} if len(agents) == 1 else {}
        if tool == LIST:
            category = self._category(pieces)
            return one | ({"category": category} if category else {})
        best = self._best(pieces)
        if tool == SOURCES:
            meant = best.match_confidence >= MORE_LIKELY_THAN_NOT or not one
            return one | ({"capability": best.name} if meant else {})
        some = {"agents": agents} if len(agents) > 1 else {}
        return (one if tool == LOOKUP else some) | {"capability": best.name}

    def _best(self, pieces: Sequence[str]) -> Match:
        """The capability of the whole text where that is likely, else the surest of any piece."""
        whole = self._service.match(pieces[0], 1).matches[0]
        if whole.match_confidence >= MORE_LIKELY_THAN_NOT:
            return whole
        found = [whole, *(self._service.match(piece, 1).matches[0] for piece in pieces[1:])]
        return max(found, key=lambda match: match.match_confidence)

    def _category(self, pieces: Sequence[str]) -> str | None:
        """The category that is named, else the one that the likely capabilities share."""
        catalog = self._service.catalog
        words = f" {fold(' '.join(pieces))} "
        named = [name for name in catalog.categories if f" {fold(name)} " in words]
        if named:
            return max(named, key=len)
        best, share = max((self._likely_category(piece) for piece in pieces), key=lambda found: found[1])
        return best if share >= MORE_LIKELY_THAN_NOT else None

    def _likely_category(self, text: str) -> tuple[str, float]:
        """The likeliest category of a text, and how likely it is: as likely as its capabilities together."""
        catalog = self._service.catalog
        shares: dict[str, float] = {}
        for match in self._service.match(text, len(catalog.capabilities)).matches:
            category = catalog.by_name[match.name].category
            shares[category] = shares.get(category, 0.0) + match.match_confidence
        return max(shares.items(), key=lambda found: found[1])


def _pieces(text: str) -> list[str]:
    """The text, and each of its sentences and clauses that says something."""
    parts = [part.strip() for part in _BREAKS.split(text) if any(letter.isalpha() for letter in part)]
    return list(dict.fromkeys([text or " ", *parts])) if any(letter.isalpha() for letter in text) else ["anything"]
