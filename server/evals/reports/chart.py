"""Lays out a bar chart of the shares of each stratum: the position and length of each bar."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from server.evals.formats.metrics import Metrics
from server.evals.reports.formatting import share

COLOURS: Final = (
    ("invocation", "#2f6fde"),
    ("arguments", "#2a9d6f"),
    ("retries", "#d1653a"),
    ("reached", "#7a5cc4"),
    ("settled", "#b8860b"),
)
LABEL_WIDTH: Final = 130
"""Pixels left of the bars, for the name of a stratum."""
FULL_WIDTH: Final = 360
"""Pixels of a bar of 100 %."""
CAPTION_WIDTH: Final = 130
"""Pixels right of the longest bar, for its caption."""
BAR_HEIGHT: Final = 14
BAR_GAP: Final = 2
GROUP_GAP: Final = 12


@dataclass(frozen=True)
class Bar:
    """One metric of a stratum; positions in pixels."""

    y: int
    length: float
    colour: str
    caption: str


@dataclass(frozen=True)
class Group:
    """The bars of a stratum, and the position of its name."""

    name: str
    name_y: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Chart:
    """All bars, and the size of the drawing."""

    width: int
    height: int
    groups: tuple[Group, ...]
    bar_x: int = LABEL_WIDTH
    bar_height: int = BAR_HEIGHT


def chart_of(strata: Mapping[str, Metrics]) -> Chart:
    """Lay out one group of bars for each stratum, from top to bottom."""
    height = len(COLOURS) * (BAR_HEIGHT + BAR_GAP) + GROUP_GAP
    groups = tuple(
        Group(name, place * height + height // 2, _bars(metrics, place * height))
        for place, (name, metrics) in enumerate(strata.items())
    )
    return Chart(LABEL_WIDTH + FULL_WIDTH + CAPTION_WIDTH, height * len(groups), groups)


def _bars(metrics: Metrics, top: int) -> tuple[Bar, ...]:
    values = (
        metrics.invocation_accuracy,
        metrics.argument_accuracy,
        metrics.retry_rate,
        metrics.reached,
        metrics.settled,
    )
    return tuple(
        Bar(top + line * (BAR_HEIGHT + BAR_GAP), FULL_WIDTH * (value or 0.0), colour, f"{name} {share(value)}")
        for line, ((name, colour), value) in enumerate(zip(COLOURS, values, strict=True))
    )
