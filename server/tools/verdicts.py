"""How an agent stands on a need: the cell of the facet that is meant, else its entry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from server.catalog.catalog import Agent
from server.catalog.facets import Cell, Verdict
from server.catalog.models import CapabilityEntry
from server.matching.asking import AskedNeed
from server.matching.facet_reader import FacetMatch

LONGEST_BECAUSE: Final = 300
"""Characters of the sentence that a verdict rests on."""

WEAKEST: Final[tuple[Verdict, ...]] = ("no", "undocumented", "partly", "yes")
"""Verdicts, the one that decides several needs first."""

COVERS: Final[dict[Verdict, float]] = {"yes": 1.0, "partly": 0.5, "no": 0.0, "undocumented": 0.0}
"""How far a need is covered."""

_OPPOSITE: Final[dict[Verdict, Verdict]] = {"yes": "no", "no": "yes"}


@dataclass(frozen=True)
class Standing:
    """How an agent stands on a need.

    Attributes:
        verdict: None if the answer is a value.
        value: of a facet that asks for one.
        because: the sentence that says so; None if there is none.
        source: the page that it was read on.
    """

    verdict: Verdict | None
    value: str | None = None
    because: str | None = None
    source: str | None = None

    @property
    def counted(self) -> Verdict:
        """The verdict that counts where only verdicts do: a value says that there is a way."""
        return self.verdict or "yes"


def standing(agent: Agent, need: AskedNeed) -> Standing:
    """Return how an agent stands on a need whose capability is known."""
    if need.facet is None:
        found = _of_entry(agent.entries.get(need.capability or ""))
        found = _turned(found) if need.opposite else found
    else:
        found = _of_facet(agent, need.facet)
    if need.spares and found.verdict == "no" and not (need.facet and need.facet.instead):
        # What an agent has may be optional in it: nothing says that it cannot do without.
        found = Standing("undocumented")
    there = [_of_cell(agent.cells[key]) for key in need.conditions if key in agent.cells]
    return weakest([found, *there])


def _of_facet(agent: Agent, facet: FacetMatch) -> Standing:
    others = [agent.cells[key] for key in facet.instead if key in agent.cells]
    if others:
        return max(map(_of_cell, others), key=lambda each: WEAKEST.index(each.counted))
    cell = agent.cells.get(facet.key)
    if cell is None:
        entry = agent.entries.get(facet.capability)
        lacking = entry is not None and not entry.available
        return _of_entry(entry) if lacking and not facet.opposite else Standing("undocumented")
    return _turned(_of_cell(cell)) if facet.opposite else _of_cell(cell)


def _turned(found: Standing) -> Standing:
    return replace(found, verdict=_OPPOSITE.get(found.verdict, found.verdict)) if found.verdict else found


def _of_cell(cell: Cell) -> Standing:
    return Standing(cell.verdict, cell.value, cell.because, cell.source)


def _of_entry(entry: CapabilityEntry | None) -> Standing:
    """Return how an agent stands on a capability as a whole: with its weightiest limitation, or what it lacks."""
    if entry is None:
        return Standing("undocumented")
    source = entry.sources[0].url if entry.sources else None
    if not entry.available:
        said = next((text for field, _, text in entry.statements if field == "description"), None)
        return Standing("no", because=said, source=source)
    return Standing("yes", because=entry.limitations[0] if entry.limitations else None, source=source)


def weakest(standings: Sequence[Standing]) -> Standing:
    """Return the standing that decides several needs."""
    return min(standings, key=lambda each: WEAKEST.index(each.counted))
