"""Plans of the agents' vendors and levels of maturity: their order, and whether a capability is within a plan."""

from typing import Final, get_args

from server.catalog.models import CapabilityEntry, MaturityLevel, Tier
from server.errors import unknown

TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""Plans, the cheapest first."""

MATURITY_LEVELS: Final[tuple[MaturityLevel, ...]] = get_args(MaturityLevel)
"""Levels of maturity, the least first; what is deprecated comes last."""


def known_tier(name: str) -> Tier:
    """The plan that a caller names, ignoring case.

    Raises:
        CallerError: no plan has this name.
    """
    for tier in TIERS:
        if tier == name.strip().casefold():
            return tier
    raise unknown("tier", name, TIERS, "Call again with a known tier.")


def within(entry: CapabilityEntry, most: Tier | None) -> bool:
    """Whether a capability is available on a plan no higher than `most`; an unknown plan counts as low enough."""
    if not entry.available or most is None or entry.tier is None:
        return entry.available
    return TIERS.index(entry.tier) <= TIERS.index(most)
