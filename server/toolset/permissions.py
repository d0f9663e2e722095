"""The one place that decides which tools a caller may use."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from server.tools.definition import Tool
from server.tools.meta.session import FamilyMatch
from server.toolset.allowlist import pattern_of
from server.toolset.source import SEPARATOR, Offer


class Permissions:
    """What one caller may use of an offer."""

    def __init__(self, offer: Offer, rule: frozenset[str] | None, read_only: bool = False) -> None:
        """Permit what a rule names.

        Args:
            offer: what there is.
            rule: families or tools, where `*` stands for any text; None permits everything.
            read_only: permit only tools that declare to change nothing.
        """
        self._offer = offer
        self._rule = pattern_of(rule) if rule is not None else None
        self._read_only = read_only
        self._everything = rule is None and not read_only

    def permits(self, tool: Tool) -> bool:
        """Whether the caller may use a tool; everyone may use those that are always on."""
        if tool.family == self._offer.families.always_on:
            return True
        return self.permits_name(tool.family, tool.name) and not self.withholds(tool)

    def withholds(self, tool: Tool) -> bool:
        """Whether a tool is not permitted to anyone, since it does not declare to change nothing."""
        return self._read_only and tool.annotations.get("readOnlyHint") is not True

    def permits_name(self, family: str, name: str) -> bool:
        """Whether the rule names a tool, which need not be known, or its family."""
        return self._rule is None or bool(self._rule.fullmatch(family) or self._rule.fullmatch(name))

    @cached_property
    def tools(self) -> Sequence[Tool]:
        """Every tool that the caller may use, in order."""
        return self._offer.tools if self._everything else [tool for tool in self._offer.tools if self.permits(tool)]

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Families that the caller may use, or of which a tool, in order."""
        always_on = self._offer.families.always_on
        used = self._offer.used_families if self._everything else {tool.family for tool in self.tools}
        return tuple(
            family
            for family in self._offer.families.holdings
            if family in used or family == always_on or self._may_bring(family)
        )

    def _may_bring(self, family: str) -> bool:
        """Whether the rule permits a family of which no tool is known; of a remote one, only while it is not ready."""
        known = self._rule is None or bool(self._rule.fullmatch(family))
        if self._offer.families.at_start:
            return known
        return family in self._offer.outages and (known or self.permits_name(family, family + SEPARATOR))

    def matches(self, found: Sequence[FamilyMatch]) -> list[FamilyMatch]:
        """What fits an intent, without families and tools that the caller may not use, best first.

        What was named exactly always wins. The probabilities then add up to at most 1: of several tools that were
        named, each comes with 1.
        """
        kept = [match for match in map(self._kept, found) if match and match.family in self.families]
        kept = [match for match in kept if match.named] or kept
        whole = max(1.0, sum(match.confidence for match in kept))
        return sorted((_shared(match, whole) for match in kept), key=lambda match: -match.confidence)

    def _kept(self, match: FamilyMatch) -> FamilyMatch | None:
        """The part of a match that is permitted; None if nothing is left."""
        known = self._offer.by_name
        if self._everything and known.keys() >= match.tools.keys():
            return match
        tools = {name: share for name, share in match.tools.items() if name in known and self.permits(known[name])}
        if len(tools) == len(match.tools):
            return match
        return replace(match, confidence=sum(tools.values()), tools=tools) if tools else None


def _shared(match: FamilyMatch, whole: float) -> FamilyMatch:
    """The match with its probabilities divided by what all add up to."""
    if whole == 1:
        return match
    tools = {name: share / whole for name, share in match.tools.items()}
    return replace(match, confidence=match.confidence / whole, tools=tools)
