"""A caller without a language model: it picks the tool and the capability by meaning, and agents by name.

It is the baseline that a model has to beat, and lets an evaluation run without a model.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from embeddings.ranking.match_result import Match
from embeddings.text.normalization import fold
from server.evals.agent_mentions import find_agents, mentions_agents_in_general
from server.evals.formats.recording import Call, Recording
from server.matching.service import Service
from server.toolset import registry
from server.toolset.tool_matcher import ToolMatcher

LOOKUP: Final = "lookup_capability"
COMPARE: Final = "compare_capability"
LIST: Final = "list_capabilities"
SOURCES: Final = "get_sources"

SUBSTITUTES: Final = {"recommend_agent": COMPARE, "feature_parity": LIST, "catalog_status": SOURCES}
"""For each tool that the router does not call, the one it calls instead."""

THRESHOLD: Final = 0.5
"""Confidences are calibrated probabilities, so from 0.5 up something is more likely than not."""

_BREAKS: Final = re.compile(r"(?<=[.!?;:])\s+|\s[-–—]+\s|\n+")
"""Where one sentence or clause ends and another begins."""


class Router:
    """Routes a prompt to at most one call."""

    def __init__(self, service: Service) -> None:
        """Route over a service's catalog."""
        self._service = service
        self._tools = ToolMatcher(registry.TOOLS, service.loader)

    def route(self, text: str) -> Recording:
        """Record the call that a prompt asks for, or none if no tool seems to fit."""
        called = {agent.id: agent.info.name for agent in self._service.catalog.agents.values()}
        agents, rest = find_agents(text, called)
        clauses = _clauses(rest)
        tool = self._tool(_clauses(text), clauses, agents)
        if tool is None:
            return Recording(input=text)
        return Recording(input=text, calls=(Call(tool=tool, arguments=self._arguments(tool, agents, clauses)),))

    def _tool(self, whole: list[str], clauses: list[str], agents: list[str]) -> str | None:
        """The tool that a text asks for.

        If a clause asks for sources or a list, that tool; otherwise a lookup for one agent, or a comparison.

        Args:
            whole: the text and its clauses.
            clauses: the text and its clauses, without the agents' names.
            agents: the agents that the text names.
        """
        confidences = [self._confidences(clause) for clause in whole]
        sources = max(each.get(SOURCES, 0.0) for each in confidences)
        listed = max(each.get(LIST, 0.0) for each in confidences)
        one_need = max(each.get(LOOKUP, 0.0) + each.get(COMPARE, 0.0) for each in confidences)
        best = max(sources, listed, one_need)
        if best < THRESHOLD and not self._concerns_agents(whole[0], clauses, agents):
            return None
        # People describe a need in several sentences, but ask for its sources in one.
        if sources >= max(THRESHOLD, listed):
            return SOURCES
        # A list is for one agent or for a category, so several named agents are compared.
        if listed == best and listed >= THRESHOLD and len(agents) < 2:
            return LIST
        return LOOKUP if len(agents) == 1 else COMPARE

    def _concerns_agents(self, text: str, clauses: list[str], agents: list[str]) -> bool:
        """Whether a text mentions agents, and something that the catalog has."""
        mentioned = bool(agents) or mentions_agents_in_general(text)
        return mentioned and self._best(clauses).match_confidence >= THRESHOLD

    def _confidences(self, text: str) -> dict[str, float]:
        """The probability of each tool; a substitute's includes those of the tools it replaces."""
        found: dict[str, float] = {}
        for name, confidence in self._tools.confidences(text).items():
            tool = SUBSTITUTES.get(name, name)
            found[tool] = found.get(tool, 0.0) + confidence
        return found

    def _arguments(self, tool: str, agents: list[str], clauses: list[str]) -> dict[str, Any]:
        one: dict[str, Any] = {"agent": agents[0]} if len(agents) == 1 else {}
        if tool == LIST:
            category = self._category(clauses)
            return one | ({"category": category} if category else {})
        best = self._best(clauses)
        if tool == SOURCES:
            meant = best.match_confidence >= THRESHOLD or not one
            return one | ({"capability": best.name} if meant else {})
        some = {"agents": agents} if len(agents) > 1 else {}
        return (one if tool == LOOKUP else some) | {"capability": best.name}

    def _best(self, clauses: Sequence[str]) -> Match:
        """The capability of the whole text if that is likely, otherwise the most likely one of any clause."""
        whole = self._service.match(clauses[0], 1).matches[0]
        if whole.match_confidence >= THRESHOLD:
            return whole
        found = [whole, *(self._service.match(clause, 1).matches[0] for clause in clauses[1:])]
        return max(found, key=lambda match: match.match_confidence)

    def _category(self, clauses: Sequence[str]) -> str | None:
        """The category that is named, otherwise the most likely one if it is likely enough."""
        catalog = self._service.catalog
        words = f" {fold(' '.join(clauses))} "
        named = [name for name in catalog.categories if f" {fold(name)} " in words]
        if named:
            return max(named, key=len)
        best, share = max((self._likely_category(clause) for clause in clauses), key=lambda found: found[1])
        return best if share >= THRESHOLD else None

    def _likely_category(self, text: str) -> tuple[str, float]:
        """The most likely category of a text, and the sum of the confidences of its capabilities."""
        catalog = self._service.catalog
        shares: dict[str, float] = {}
        for match in self._service.match(text, len(catalog.capabilities)).matches:
            category = catalog.by_name[match.name].category
            shares[category] = shares.get(category, 0.0) + match.match_confidence
        return max(shares.items(), key=lambda found: found[1])


def _clauses(text: str) -> list[str]:
    """The text itself, then each of its sentences and clauses that has letters."""
    if not any(letter.isalpha() for letter in text):
        return ["anything"]
    parts = [part.strip() for part in _BREAKS.split(text) if any(letter.isalpha() for letter in part)]
    return list(dict.fromkeys([text, *parts]))
