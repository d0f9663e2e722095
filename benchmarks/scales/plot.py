"""Plots how the cost of a store grows with its size."""

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

Run = Mapping[str, Any]

PANELS: Final = (
    ("ms beside the encoder, processor time", (("p50 processor ms", "half"), ("p95 processor ms", "95%"))),
    ("resident memory, MB", (("peak resident MB", "peak"), ("resident MB of the encoder alone", "the encoder alone"))),
    ("seconds to build", (("build seconds", "wall clock"),)),
)
"""Title, and the figures with their names, of each panel."""

_STYLES: Final = (("#0072B2", "o"), ("#D55E00", "^"))


def write(runs: Sequence[Run], path: Path) -> None:
    """Plot figures by number of phrases; needs matplotlib."""
    if not importlib.util.find_spec("matplotlib"):
        print("no plot: matplotlib is missing; pip install '.[benchmark]'", file=sys.stderr)
        return
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    # The same figures give the same bytes.
    matplotlib.rcParams["svg.hashsalt"] = "scale"
    plots = importlib.import_module("matplotlib.pyplot")
    figure, axes = plots.subplots(1, len(PANELS), figsize=(12, 3.6))
    for axis, (title, lines) in zip(axes, PANELS, strict=True):
        _panel(axis, runs, lines)
        axis.set_title(title, fontsize=11)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plots.close(figure)


def _panel(axis: Any, runs: Sequence[Run], lines: tuple[tuple[str, str], ...]) -> None:
    for (figure, name), (colour, marker) in zip(lines, _STYLES, strict=False):
        found = [run for run in runs if figure in run]
        axis.plot(
            [run["phrases"] for run in found],
            [run[figure] for run in found],
            label=name,
            color=colour,
            marker=marker,
            linewidth=2,
        )
    axis.set_xscale("log")
    axis.set_xticks([run["phrases"] for run in runs], [f"{run['phrases']:,}" for run in runs])
    axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)
    axis.set_xlabel("phrases")
    if len(lines) > 1:
        axis.legend(frameon=False)
