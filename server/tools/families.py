"""The families that tools are loaded with."""

from typing import Final

CORE: Final = "core"
META: Final = "meta"

FAMILIES: Final[dict[str, str]] = {
    CORE: "look up, compare and list capabilities of agents, and show their sources",
    "match": "find out which capability a phrase means, and why it is understood so",
    "decide": "choose an agent for several needs, and see at a glance who lacks what",
    "catalog": "the state of the data: counts, ages, stale sources, fingerprints",
    META: "describe this server's own tools and reach those that are not loaded",
}
"""Each family's name and purpose, in the order in which tools are listed. `meta` exists only with dynamic tools."""

FULL: Final = "full"
"""The profile of all families."""

CHOOSABLE: Final = tuple(family for family in FAMILIES if family != META)
"""Families that a profile or an allowlist can name."""
