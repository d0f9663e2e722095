"""One row of the table of agents by capabilities: how the agents differ, and the words of its cells."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from server.catalog.models import CapabilityEntry, Tier
from server.catalog.plans import within
from server.tools.answers import AbsentIfEmpty, Answer

UNAVAILABLE: Final = "unavailable"
UNDOCUMENTED: Final = "undocumented"
AVAILABLE: Final = "available"

Difference = Literal["availability", "plan", "maturity"]
Place = Literal["missing", "unique", "different", "everywhere", "nowhere", "undocumented"]
Entries = Mapping[str, CapabilityEntry | None]
"""What the data say of one capability, by agent."""


class ParityRow(Answer):
    """One capability, how the agents differ, and each agent's cell."""

    name: str
    category: str | None = None
    differs: Annotated[list[Difference] | None, AbsentIfEmpty] = None
    agents: dict[str, str]


def place(entries: Entries, tier: Tier | None, agent: str | None) -> Place:
    """The list that a capability belongs to.

    Args:
        entries: what the data say of it.
        tier: the highest plan that counts.
        agent: the one that is compared with the others; None if all are compared with each other.
    """
    having = [id_ for id_, entry in entries.items() if entry is not None and within(entry, tier)]
    if not having:
        return "nowhere" if any(entry is not None for entry in entries.values()) else "undocumented"
    if agent and agent not in having:
        return "missing"
    if agent and having == [agent] and len(entries) > 1:
        return "unique"
    return "different" if differences(entries, tier) else "everywhere"


def differences(entries: Entries, tier: Tier | None) -> list[Difference]:
    """How the agents differ; a plan or level of maturity that is not known differs from none.

    With a highest plan, plans differ only where one agent has the capability within it and another above it.
    """
    available = [entry for entry in entries.values() if entry is not None and entry.available]
    inside = [entry for entry in available if within(entry, tier)]
    plans = {within(entry, tier) for entry in available} if tier else {entry.tier for entry in available if entry.tier}
    kinds: dict[Difference, bool] = {
        "availability": 0 < len(available) < len(entries),
        "plan": len(plans) > 1,
        "maturity": len({entry.maturity_level for entry in inside if entry.maturity_level}) > 1,
    }
    return [kind for kind, differ in kinds.items() if differ]


def row(name: str, category: str | None, entries: Entries, tier: Tier | None) -> ParityRow:
    """A capability's row; cells have the maturity only where that differs."""
    differs = differences(entries, tier)
    return ParityRow(
        name=name,
        category=category,
        differs=differs,
        agents={agent: _cell(entry, tier, maturity="maturity" in differs) for agent, entry in entries.items()},
    )


def weight(shown: ParityRow) -> int:
    """Sorts the greatest differences first: one in availability weighs more than any in plan and maturity."""
    differs = shown.differs or []
    return -(4 * ("availability" in differs) + 2 * ("maturity" in differs) + ("plan" in differs))


def _cell(entry: CapabilityEntry | None, tier: Tier | None, *, maturity: bool) -> str:
    if entry is None:
        return UNDOCUMENTED
    if not entry.available:
        return UNAVAILABLE
    if not within(entry, tier):
        return f"not on {tier}, needs {entry.tier}"
    plan = AVAILABLE if tier or not entry.tier else entry.tier
    return f"{plan}, {entry.maturity_level}" if maturity and entry.maturity_level else plan
