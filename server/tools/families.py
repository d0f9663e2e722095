"""The families that tools are loaded with."""

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
