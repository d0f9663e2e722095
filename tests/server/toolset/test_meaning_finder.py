"""Which of the tools that are ranked count for a decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from embeddings.ranking.match_result import Decision, Match, MatchResult
from server.toolset.tool_matcher import MAX_RANKED, MeaningFinder, ToolsMatcher


@dataclass
class Fixed:
    """A matcher that always answers the same."""

    shares: Sequence[float]
    is_degraded: bool = False

    @property
    def size(self) -> int:
        return len(self.shares)

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        matches = tuple(Match(f"tool_{number}", share, "embedding") for number, share in enumerate(self.shares))
        return MatchResult(phrase, "ambiguous", False, matches[:top], 1 - sum(self.shares))


@dataclass
class Finder(MeaningFinder):
    """Finds with it."""

    fixed: Fixed

    @property
    def matcher(self) -> ToolsMatcher:
        return self.fixed

    @property
    def family_of(self) -> Mapping[str, str]:
        return {f"tool_{number}": "all" for number in range(self.fixed.size)}


@dataclass
class Without:
    """Permits all tools but some."""

    left_out: Sequence[str] = ()

    def permits_called(self, name: str) -> bool:
        return name not in self.left_out


def test_tools_that_are_not_ranked_do_not_count_for_none() -> None:
    permitted: Any = Without()
    found = Finder(Fixed([0.6 / 300] * 300)).find("a need", permitted)
    assert (found.decision, len(found.matches)) == ("ambiguous", MAX_RANKED)


@pytest.mark.parametrize(
    ("left_out", "decision", "first"),
    [("tool_2", "resolved", "tool_0"), ("tool_0", "no_match", "tool_1")],
)
def test_those_that_are_not_permitted_do(left_out: str, decision: Decision, first: str) -> None:
    permitted: Any = Without([left_out])
    found = Finder(Fixed([0.94, 0.04, 0.01])).find("a need", permitted)
    assert (found.decision, found.matches[0].name) == (decision, first)
