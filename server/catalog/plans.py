"""Plans and what else opens a capability: what a caller has, and how an entry's access is said in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from server.catalog.models import Access, CapabilityEntry, Tier
from server.errors import unknown

TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""Plans, the cheapest first."""

ACCESSES: Final[tuple[Access, ...]] = get_args(Access)
"""What opens a capability without a plan, and who may use it."""

OPENERS: Final[dict[Access, str]] = {
    "ownKey": "own key",
    "cloudProvider": "cloud provider",
    "localModel": "local model",
}
"""Words for what opens a capability without a plan."""

NO_PLAN: Final = "no plan needed"


@dataclass(frozen=True)
class Means:
    """What a caller has.

    Attributes:
        tier: the highest plan that counts; None: any.
        access: what the caller has beside a plan, such as an API key.
    """

    tier: Tier | None = None
    access: tuple[Access, ...] = ()

    @classmethod
    def of(cls, tier: str | None, access: str | None) -> "Means":
        """Return the means that a caller names, ignoring case; commas stand between several ways of access.

        Raises:
            CallerError: a plan or access has no such name.
        """
        return cls(
            _known_tier(tier) if tier else None, tuple(map(_known_access, filter(str.strip, (access or "").split(","))))
        )

    @property
    def limited(self) -> bool:
        """Whether anything was named; if not, every available capability counts."""
        return self.tier is not None or bool(self.access)

    def open(self, entry: CapabilityEntry) -> bool:
        """Return whether an entry's capability is there for the caller: by a plan up to `tier`, or by its access."""
        if not entry.available or not self.limited:
            return entry.available
        by_plan = bool(self.tier and entry.tier) and TIERS.index(entry.tier or "free") <= TIERS.index(
            self.tier or "free"
        )
        return by_plan or not set(self.access).isdisjoint(entry.access)


def _known_tier(name: str) -> Tier:
    for tier in TIERS:
        if tier == name.strip().casefold():
            return tier
    raise unknown("tier", name, TIERS, "Call again with a known tier.")


def _known_access(name: str) -> Access:
    for access in ACCESSES:
        if access.casefold() == name.strip().casefold():
            return access
    raise unknown("access", name, ACCESSES, "Call again with a known access.")


def access_words(access: Sequence[Access]) -> str:
    """Say what opens a capability without a plan: 'own key or local model'; '' if nothing does."""
    return " or ".join(words for name, words in OPENERS.items() if name in access)


def plan_words(tier: Tier | None, access: Sequence[Access]) -> str:
    """Say what a capability needs: 'pro or own key', 'business, set up by an administrator'; '' if nothing is known."""
    needed = " or ".join(filter(None, [tier, access_words(access)]))
    return ", ".join(filter(None, [needed, "set up by an administrator" if "adminOnly" in access else ""]))


def no_plan_note(accesses: Iterable[Sequence[Access]]) -> str:
    """Explain 'own key' and the like beneath a table: what means no plan is needed; '' if nothing does."""
    named = {name for access in accesses for name in access}
    words = [words for name, words in OPENERS.items() if name in named]
    if words == [OPENERS["ownKey"]]:
        return f"{NO_PLAN} with your own key"
    return f"{NO_PLAN} with: {', '.join(words)}" if words else ""
