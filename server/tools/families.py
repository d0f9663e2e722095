"""The families that tools are loaded with: what they are to any server, and those of the agents' catalog."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CORE: Final = "core"
META: Final = "meta"

FAMILIES: Final[dict[str, str]] = {
    CORE: "what AI coding agents can do: look up, compare and list their capabilities, with sources",
    "match": "which capability a phrase means, and why it was understood so",
    "decide": "choosing between agents: who fits several needs, who has and who lacks what",
    "catalog": "the state of this server's data: counts, ages, stale pages, fingerprints",
    META: "this server's own tools: what there is, loading it, calling it",
}
"""Each family's name and what it holds, in one clause, in the order in which tools are listed.

`meta` exists only with dynamic tools."""

FULL: Final = "full"
"""The profile of all families."""

CHOOSABLE: Final = tuple(family for family in FAMILIES if family != META)
"""Families that a profile or an allowlist can name."""


@dataclass(frozen=True)
class Families:
    """The families of one server.

    Attributes:
        holdings: each family's name and what it holds, in one clause, in the order in which tools are listed.
        always_on: the family whose tools are advertised under any profile, and permitted to everyone.
        base: what a profile is called that adds no family; if a family is called so, every profile has it.
        loaded: families that are loaded under any profile.
        given: what callers without a rule may use: families or tools, where `*` stands for any text.
        at_start: whether the command line can choose families, so that another start can load more.
    """

    holdings: Mapping[str, str]
    always_on: str = META
    base: str = CORE
    loaded: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    at_start: bool = False

    @property
    def choosable(self) -> tuple[str, ...]:
        """Families that can be loaded and left out, in order."""
        return tuple(family for family in self.holdings if family != self.always_on)


AGENT_FAMILIES: Final = Families(FAMILIES, loaded=frozenset({CORE}), given=frozenset({CORE}), at_start=True)
"""The families of a server of the agents' catalog."""
