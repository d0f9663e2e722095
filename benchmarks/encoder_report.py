"""Reports the results of `benchmarks.encoder` as a table, as JSON and as a plot."""

import importlib
import importlib.util
import json
import sys
from importlib import metadata
from typing import Any, Final

from benchmarks.matching_plot import STYLES
from benchmarks.matching_report import FOLDER

LIBRARIES: Final = ("onnxruntime", "tokenizers", "fastembed", "sentence-transformers", "torch")
Found = dict[str, Any]
"""By encoder: `load` and `firstLoad` in seconds, `memory` and `bytes` in bytes, `latency` in seconds by length, `rate`
in texts per second by batch size, `fidelity`."""


def table(found: Found) -> str:
    """Format all figures as a Markdown table; brackets show how many times longer than ours it takes."""
    names = list(found)
    ours = found[names[0]]
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for length in ours["latency"]:
        times = [found[name]["latency"][length] for name in names]
        lines.append(_row(f"{length} tokens, ms", [f"{1e3 * t:.2f} ({t / times[0]:.1f}x)" for t in times]))
    for batch in ours["rate"]:
        rates = [found[name]["rate"][batch] for name in names]
        lines.append(_row(f"batch of {batch}, texts/s", [f"{r:.0f} ({rates[0] / r:.1f}x)" for r in rates]))
    lines.append(_row("load, ms", [f"{1e3 * found[name]['load']:.0f}" for name in names]))
    lines.append(_row("load with imports, ms", [f"{1e3 * found[name]['firstLoad']:.0f}" for name in names]))
    lines.append(_row("file, MB", [f"{found[name]['bytes'] / 1e6:.1f}" for name in names]))
    lines.append(_row("memory, MB", [f"{found[name]['memory'] / 1e6:.0f}" for name in names]))
    for figure, title in {"mean": "mean cosine", "least": "least cosine", "nearest": "same nearest"}.items():
        lines.append(_row(title, [f"{found[name]['fidelity'][figure]:.4f}" for name in names]))
    return "\n".join(lines)


def _row(title: str, cells: list[str]) -> str:
    return f"| {title} | " + " | ".join(cells) + " |"


def readme(found: Found) -> str:
    """Format the table for the README, without some of the lengths and batch sizes."""
    kept = ("4 tokens", "16 tokens", "batch of 1,", "batch of 8,", "batch of 256,")
    return "\n".join(line for line in table(found).splitlines() if not line.startswith(tuple(f"| {k}" for k in kept)))


def store(found: Found) -> None:
    """Write results/encoder.json and, if matplotlib is installed, results/encoder.png."""
    installed = {name: metadata.version(name) for name in LIBRARIES if importlib.util.find_spec(name.replace("-", "_"))}
    content = {"versions": installed, "results": found}
    (FOLDER / "encoder.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8", newline="\n")
    if not importlib.util.find_spec("matplotlib"):
        print("no plot: matplotlib is missing; pip install '.[benchmark]'", file=sys.stderr)
        return
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    _plot(importlib.import_module("matplotlib.pyplot"), found)


def _plot(plots: Any, found: Found) -> None:
    figure, axes = plots.subplots(1, 2, figsize=(12, 4.6))
    for (name, values), (colour, marker) in zip(found.items(), STYLES, strict=False):
        lengths = [int(length) for length in values["latency"]]
        milliseconds = [1e3 * seconds for seconds in values["latency"].values()]
        axes[0].plot(lengths, milliseconds, color=colour, marker=marker, linewidth=2, label=name)
        batches = [int(batch) for batch in values["rate"]]
        axes[1].plot(batches, list(values["rate"].values()), color=colour, marker=marker, linewidth=2)
    for axis, (across, up) in zip(axes, (("tokens", "ms a text"), ("texts a batch", "texts a second")), strict=True):
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xlabel(across)
        axis.set_title(f"{up}, one thread", fontsize=11)
        axis.grid(alpha=0.3)
    figure.legend(loc="lower center", ncol=5, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    figure.savefig(FOLDER / "encoder.png", dpi=120, metadata={"Software": None})
    plots.close(figure)
