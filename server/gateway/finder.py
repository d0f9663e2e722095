"""Finds upstreams' tools by name and by meaning, for `search_tools`, `smart_load` and misspelt names."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from server.errors import CallerError, brief, nearest
from server.gateway.tool_catalog.index.tool_index import ToolIndex
from server.matching.phrase_service import LONGEST_PHRASE
from server.tools.meta.session import FamilyMatch
from server.toolset.tool_matcher import MeaningFinder, ToolsMatcher

SURE: Final = 1.0


class GatewayFinder(MeaningFinder):
    """Finds the tools of one offer."""

    def __init__(self, index: ToolIndex, families: Mapping[str, str], longest: int = LONGEST_PHRASE) -> None:
        """Find with an index.

        Args:
            index: of the tools.
            families: the family of each tool, by full name.
            longest: maximum characters of a need; a longer one is refused.
        """
        self._index = index
        self._family_of = families
        self._longest = longest

    @property
    def matcher(self) -> ToolsMatcher:
        """The index's matcher, of which there is one as soon as there are tools."""
        matcher = self._index.matcher
        if matcher is None:
            raise CallerError("no tool is known yet; servers are still connecting; call again in a few seconds")
        return matcher

    @property
    def degraded(self) -> bool:
        """Whether tools are found by names and words alone for now."""
        return self._index.degraded

    @property
    def family_of(self) -> Mapping[str, str]:
        """The family of each tool."""
        return self._family_of

    @property
    def called(self) -> Collection[str]:
        """The families that there are."""
        return dict.fromkeys(self._family_of.values())

    def families(self, intent: str) -> list[FamilyMatch]:
        """Families with the probability that one of their tools serves an intent, best first; what is named first.

        Raises:
            CallerError: the intent is blank or too long.
        """
        if not intent.strip():
            raise CallerError(
                f"the need is blank ({brief(intent)}); it must say what is to be done, or name a tool; state one need "
                "in a sentence, such as 'list the open issues'"
            )
        if len(intent) > self._longest:
            raise CallerError(
                f"the need has {len(intent):,} characters; this server takes {self._longest:,} at most; state one need "
                "in a sentence"
            )
        wanted = intent.strip()
        if not self._family_of:
            return []
        return [*self._named(wanted), *self._by_meaning(wanted)]

    def _named(self, wanted: str) -> list[FamilyMatch]:
        """Tools, else servers, that were named, each as sure as if it were the only one."""
        found: dict[str, dict[str, float]] = {}
        for tool in self._index.exact(wanted):
            if tool.name in self._family_of:
                found.setdefault(self._family_of[tool.name], {})[tool.name] = SURE
        if not found:
            found = {family: {} for family in self.called if family.casefold() == wanted.casefold()}
        return [FamilyMatch(family, max(SURE, len(tools)), tools, named=True) for family, tools in found.items()]

    def nearest(self, name: str, known: Sequence[str], count: int = 3) -> list[str]:
        """The known names nearest to an unknown one, by spelling and, as soon as tools are known, by meaning."""
        if self._index.matcher is None:
            return nearest(name, known, count)
        return super().nearest(name, known, count)
