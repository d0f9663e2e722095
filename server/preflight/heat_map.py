"""Chooses and lays out the labels of the heat map: those between which probability moves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from embeddings.preflight.finding import Confusion

LEAST: Final = 0.1
"""Probability from which on a confusion is shown."""

MOST_LABELS: Final = 60


@dataclass(frozen=True)
class HeatMap:
    """A square table of labels.

    Attributes:
        labels: those that are shown; labels that are confused stand near each other.
        cells: the probability of each pair, by the label that was asked for and the label that was found.
        left_out: number of labels for which there was no room.
    """

    labels: tuple[str, ...]
    cells: Mapping[tuple[str, str], float]
    left_out: int = 0


def heat_map(confusions: Iterable[Confusion]) -> HeatMap:
    """Lay out the confusions, of which the largest come first."""
    shown = [each for each in confusions if each.probability >= LEAST]
    chosen = [*dict.fromkeys(label for each in shown for label in (each.label, each.other))]
    kept = frozenset(chosen[:MOST_LABELS])
    cells = {(each.label, each.other): each.probability for each in shown if each.label in kept and each.other in kept}
    return HeatMap(tuple(_side_by_side(cells)), cells, max(0, len(chosen) - MOST_LABELS))


def _side_by_side(cells: Mapping[tuple[str, str], float]) -> Iterable[str]:
    """Yield the labels of the cells, each followed by those that it is confused with and that are not placed yet."""
    near: dict[str, dict[str, None]] = {}
    for label, other in cells:
        near.setdefault(label, {})[other] = None
        near.setdefault(other, {})[label] = None
    placed: dict[str, None] = {}
    for start in near:
        waiting = [start]
        while waiting:
            label = waiting.pop()
            if label not in placed:
                placed[label] = None
                waiting += reversed(near[label])
    return placed
