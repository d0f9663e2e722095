"""Plots the results of `benchmarks.matching`."""

import importlib
import importlib.util
import statistics
import sys
from typing import Any, Final

from benchmarks.matching_report import FOLDER, Results

STYLES: Final = (
    ("#000000", "o"),
    ("#0072B2", "s"),
    ("#D55E00", "^"),
    ("#009E73", "D"),
    ("#CC79A7", "v"),
    ("#E69F00", "P"),
    ("#56B4E9", "X"),
    ("#7F7F7F", "*"),
    ("#882255", "<"),
    ("#332288", ">"),
    ("#999933", "p"),
)
"""Colour (Okabe & Ito, 2008; the last three: Tol, 2021) and marker of each matcher; either tells them apart."""


def write(found: Results) -> None:
    """Plot dots for the shipped catalog and curves over phrases per intent for CLINC150; needs matplotlib."""
    if not importlib.util.find_spec("matplotlib"):
        print("no plot: matplotlib is missing; pip install '.[benchmark]'", file=sys.stderr)
        return
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    plots = importlib.import_module("matplotlib.pyplot")
    counts = [int(data.rpartition("-")[2]) for data in found if data.startswith("clinc150-")]
    figure, axes = plots.subplots(1, 3 if counts else 1, figsize=(14, 4.8) if counts else (6, 4), squeeze=False)
    _dots(axes[0][0], found["dev"])
    for axis, name in zip(axes[0][1:], ("top1", "auroc"), strict=False):
        _curves(axis, found, counts, name)
    if counts:
        handles, labels = axes[0][1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0.13 if counts else 0, 1, 1))
    figure.savefig(FOLDER / "matching.png", dpi=120, metadata={"Software": None})
    plots.close(figure)


def _dots(axis: Any, by_peer: dict[str, dict[str, list[float]]]) -> None:
    for place, (values, (colour, _)) in enumerate(zip(by_peer.values(), STYLES, strict=False)):
        axis.plot([values["top1"][0], values["top3"][0]], [-place, -place], color=colour, linewidth=2)
        axis.plot(values["top1"][0], -place, "o", color=colour, markersize=8)
        axis.plot(values["top3"][0], -place, "o", color=colour, markersize=8, markerfacecolor="white")
    axis.set_yticks([-place for place in range(len(by_peer))], list(by_peer))
    axis.set_xlim(0, 1)
    axis.grid(axis="x", alpha=0.3)
    axis.set_xlabel("share of in-scope queries")
    axis.set_title("Shipped catalog: top-1 (full), top-3 (hollow)", fontsize=11)


def _curves(axis: Any, found: Results, counts: list[int], name: str) -> None:
    for peer, (colour, marker) in zip(found["dev"], STYLES, strict=False):
        fitted = [count for count in counts if peer in found[f"clinc150-{count}"]]
        values = [found[f"clinc150-{count}"][peer][name] for count in fitted]
        spread = [statistics.stdev(seeds) if len(seeds) > 1 else 0 for seeds in values]
        means = [statistics.mean(seeds) for seeds in values]
        axis.errorbar(fitted, means, spread, label=peer, color=colour, marker=marker, linewidth=2, capsize=3)
    axis.set_xscale("symlog", linthresh=1)
    axis.set_xticks(counts, [str(count) for count in counts])
    axis.minorticks_off()
    axis.grid(alpha=0.3)
    axis.set_xlabel("phrases an intent")
    axis.set_title("CLINC150: " + ("top-1" if name == "top1" else "out-of-scope AUROC"), fontsize=11)
