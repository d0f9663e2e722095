"""Needs in plain words, understood one by one, and each agent's standing on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from embeddings.match_result import MatchResult
from server.catalog.models import CapabilityEntry, Tier
from server.errors import unknown
from server.service import Service

TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""Plans, the cheapest first."""


@dataclass(frozen=True)
class Need:
    """One need as it was understood.

    Attributes:
        result: the match of its words.
        capability: the canonical name; None when the words were not resolved.
    """

    result: MatchResult
    capability: str | None


def understood(service: Service, phrases: Sequence[str]) -> list[Need]:
    """Match each phrase.

    Raises:
        CallerError: a phrase is blank.
    """
    results = [service.match(phrase) for phrase in phrases]
    return [Need(result, result.matches[0].name if result.decision == "resolved" else None) for result in results]


def known_tier(name: str) -> Tier:
    """The plan that a caller names, case aside.

    Raises:
        CallerError: there is none of that name.
    """
    for tier in TIERS:
        if tier == name.strip().casefold():
            return tier
    raise unknown("tier", name, TIERS, "Call again with a known tier.")


def within(entry: CapabilityEntry, most: Tier | None) -> bool:
    """Whether a capability is there, on a plan no higher than `most`; a plan that is not known is none too high."""
    if not entry.available or most is None or entry.tier is None:
        return entry.available
    return TIERS.index(entry.tier) <= TIERS.index(most)
