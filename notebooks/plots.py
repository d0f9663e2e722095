"""Draws the figures of the debugging notebook."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from embeddings.arrays import BoolArray, DoubleArray
from embeddings.index.fitted_index import FittedIndex
from embeddings.metrics import BINS, Outcomes, calibration_error
from embeddings.ranking.explanation import NONE_NAME, CandidateExplanation, Explanation
from embeddings.ranking.match_result import MatchResult
from embeddings.ranking.ranking import Ranking
from embeddings.ranking.signals import whiten
from notebooks.measures import CatalogMap, Confusions, shorten

PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's colours, which colour-blind readers can distinguish."""

GREY: Final = "#9A9A9A"
PALE: Final = "#D4DCE4"
INK: Final = "#222222"
STYLE: Final[Any] = {
    "figure.dpi": 80,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.5,
}
SIGNAL_GROUPS: Final = {
    "ranking head": ("kernel",),
    "phrases": ("cosine", "nearest"),
    "description": ("whole", "part"),
    "words": ("words", "coverage"),
    "letters": ("spelling", "substring"),
    "head start": ("none", "catalog size"),
}
"""The signals that are drawn together."""

SIGNAL_COLOURS: Final = dict(zip(SIGNAL_GROUPS, PALETTE, strict=True))

STAR: Final = 20.0
"""Width of the star that marks the typed phrase, in points."""

_PUSHES: Final = 300
_Z: Final = 1.96
"""Standard deviations of a 95% interval."""


@dataclass(frozen=True)
class Table:
    """A table that a notebook shows as HTML, or as plain text where it cannot."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="text-align: left">{escape(cell)}</th>' for cell in self.head)
        rows = ["".join(f'<td style="text-align: left">{escape(cell)}</td>' for cell in row) for row in self.rows]
        return "\n".join(["<table>", f"<tr>{head}</tr>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])

    def __repr__(self) -> str:
        lines = [self.head, *self.rows]
        sizes = [max(len(line[column]) for line in lines) for column in range(len(self.head))]
        return "\n".join("  ".join(map(str.ljust, line, sizes)).rstrip() for line in lines)


def use_style() -> None:
    """Set the style of all following figures."""
    plt.rcParams.update(STYLE)


def label_colours(names: Sequence[str]) -> dict[str, str]:
    """Assign a colour to each of the first labels and grey to "none"; labels beyond the palette get no colour."""
    chosen = [name for name in dict.fromkeys(names) if name != NONE_NAME]
    return {NONE_NAME: GREY, **dict(zip(chosen, PALETTE, strict=False))}


def candidates(explanation: Explanation, result: MatchResult) -> Figure:
    """Draw the confidence of the top labels and of "none", and the parts of their scores."""
    cases = sorted(explanation.candidates, key=lambda case: -case.match_confidence)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 0.36 * len(cases) + 1.9), sharey=True)
    colours = label_colours([case.name for case in cases])
    shares = [case.match_confidence for case in cases]
    left.barh(range(len(cases)), shares, color=[colours.get(case.name, PALE) for case in cases])
    for row, share in enumerate(shares):
        left.text(share + 0.01, row, f"{share:.3f}", va="center")
    left.set(xlim=(0, 1.13), xlabel="confidence", title=_verdict(result, explanation))
    left.set_yticks(range(len(cases)), [case.name for case in cases])
    left.invert_yaxis()
    _stacked_parts(right, cases)
    return figure


def _verdict(result: MatchResult, explanation: Explanation) -> str:
    first = result.matches[0]
    if explanation.named:
        return f"{result.decision}: the phrase names {explanation.named} outright"
    if result.decision == "resolved":
        return f"resolved: {first.name}, with {first.match_confidence:.3f}"
    return f"{result.decision}: {first.name} is best, with {first.match_confidence:.3f}"


def _stacked_parts(axes: Axes, cases: Sequence[CandidateExplanation]) -> None:
    """Draw each candidate's parts as a stacked bar; negative parts extend to the left of zero."""
    for row, case in enumerate(cases):
        ends = {True: 0.0, False: 0.0}
        for group, part in _grouped(case).items():
            colour = SIGNAL_COLOURS[group]
            axes.barh(row, part, left=ends[part > 0], color=colour, edgecolor="white", linewidth=0.6)
            ends[part > 0] += part
        axes.text(ends[True] + 0.1, row, f"{sum(case.parts.values()):+.1f}", va="center")
    handles = [Rectangle((0, 0), 1, 1, color=colour) for colour in SIGNAL_COLOURS.values()]
    axes.legend(handles, list(SIGNAL_COLOURS), loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=6, frameon=False)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.margins(x=0.1)
    axes.set(xlabel="score", title=_lead(cases))


def _grouped(case: CandidateExplanation) -> dict[str, float]:
    """Sum the parts of a score by group of signals."""
    groups = {signal: group for group, signals in SIGNAL_GROUPS.items() for signal in signals}
    sums = dict.fromkeys(SIGNAL_GROUPS, 0.0)
    for signal, part in case.parts.items():
        sums[groups.get(signal) or groups[signal.removeprefix("none ")]] += part
    return sums


def _lead(cases: Sequence[CandidateExplanation]) -> str:
    """Describe the lead of the first candidate over the second, and the signal that adds most to it."""
    first, second = (_grouped(case) for case in cases[:2])
    leads = {group: first[group] - second[group] for group in SIGNAL_GROUPS}
    best = max(leads, key=lambda group: leads[group])
    return f"{sum(leads.values()):+.1f} ahead of {cases[1].name}, most by {best} ({leads[best]:+.1f})"


def nearest_phrases(fitted: FittedIndex, ranking: Ranking, count: int = 20) -> Figure:
    """Draw the phrases of the catalog that are nearest to the query, coloured by label."""
    rows = np.argsort(-ranking.nearness, kind="stable")[:count]
    names = [*(label.name for label in fitted.corpus.book.labels), NONE_NAME]
    owners = [names[fitted.corpus.owners[row]] for row in rows]
    colours = label_colours([names[label] for label in ranking.order()])
    figure, axes = plt.subplots(figsize=(12, 0.29 * len(rows) + 1.2))
    axes.barh(range(len(rows)), ranking.nearness[rows], color=[colours.get(owner, PALE) for owner in owners])
    for row, owner in enumerate(owners):
        axes.text(ranking.nearness[rows[row]] + 0.005, row, owner, va="center", color=INK)
    axes.set_yticks(range(len(rows)), [shorten(fitted.corpus.phrases[row].text) for row in rows])
    axes.invert_yaxis()
    axes.set(xlim=(0, float(ranking.nearness[rows[0]]) * 1.3), xlabel="cosine")
    common = max(dict.fromkeys(owners), key=owners.count)
    axes.set_title(f"{owners.count(common)} of the {len(rows)} nearest phrases belong to {common}")
    return figure


def confusion_map(found: Confusions) -> Figure:
    """Draw which labels get the probability of held-out phrases; the right labels are grey."""
    mass = found.mass()
    leaks = np.where(np.eye(len(mass), dtype=bool), 0, mass)[:, :-1]
    meant, taken = np.unravel_index(int(np.argmax(leaks)), leaks.shape)
    right = float((found.shares.argmax(axis=1) == found.meant).mean())
    shown = np.ma.masked_array(mass, mask=np.eye(len(mass), dtype=bool))
    figure, axes = plt.subplots(figsize=(13, 12))
    image = axes.imshow(shown, cmap="Blues", norm=PowerNorm(0.5, vmin=0))
    axes.set_facecolor("#E3E3E3")
    figure.colorbar(image, ax=axes, shrink=0.5, pad=0.01, label="mean probability given to the column's label")
    axes.set_xticks(range(len(mass)), found.names, rotation=90, fontsize=8)
    axes.set_yticks(range(len(mass)), _with_kept(found.names, mass), fontsize=8)
    axes.set_xticks(np.arange(len(mass)) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(mass)) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    axes.set(xlabel="taken for", ylabel="meant (share that stays with it)")
    axes.set_title(
        f"{right:.0%} of {len(found.texts)} unseen phrases are ranked right; most confused: "
        f"{found.names[meant]}, taken for {found.names[taken]} ({leaks[meant, taken]:.2f})"
    )
    return figure


def _with_kept(names: Sequence[str], mass: DoubleArray) -> list[str]:
    return [f"{name}  {share:.2f}" for name, share in zip(names, np.diag(mass), strict=True)]


def phrase_map(fitted: FittedIndex, plane: CatalogMap, ranking: Ranking, query: npt.NDArray[np.float32]) -> Figure:
    """Draw all phrases on a plane, with the likeliest labels in colour, and the query, an encoder's vector (d,)."""
    index = fitted.corpus
    names = [label.name for label in index.book.labels]
    colours = label_colours([names[label] for label in ranking.order()])
    compared = whiten(query[None], fitted.whitening)
    points, star = plane.place(fitted.vectors), plane.place(compared)
    figure, axes = plt.subplots(figsize=(13, 10))
    outside = index.owners == len(names)
    _dots(axes, points[~outside], 5, "#A9C4DC", "phrase of a capability (in colour: the likeliest)")
    _dots(axes, points[outside], 7, "#777777", "phrase out of scope")
    for label in ranking.order()[: len(PALETTE)]:
        _dots(axes, points[index.owners == label], 14, colours[names[label]])
    axes.scatter(star[:, 0], star[:, 1], s=STAR**2, marker="*", color="black", edgecolor="white", zorder=5)
    axes.scatter([], [], s=120, marker="*", color="black", label="the typed phrase")
    axes.set_axis_off()
    axes.legend(loc="lower right", frameon=False)
    nearest = names[int(np.argmax(plane.centroids @ compared[0]))]
    agrees = (
        "which the matcher puts first" if nearest == names[ranking.order()[0]] else "not what the matcher puts first"
    )
    axes.set_title(f"The phrase is nearest to the centroid of {nearest}, {agrees}")
    figure.canvas.draw()
    _write_apart(axes, names, plane.anchors, star, colours)
    return figure


def _dots(axes: Axes, points: DoubleArray, size: float, colour: str, name: str = "") -> None:
    """Draw points (n, 2); the dot in the legend is larger, so that it can be seen."""
    axes.scatter(points[:, 0], points[:, 1], s=size, color=colour, alpha=0.65, linewidths=0)
    if name:
        axes.scatter([], [], s=40, color=colour, label=name)


def _write_apart(
    axes: Axes, names: Sequence[str], anchors: DoubleArray, star: DoubleArray, colours: Mapping[str, str]
) -> None:
    """Write names at points (n, 2), moved up or down so that they overlap neither each other nor the star, (1, 2).

    A line connects each name to its point.
    """
    spots = np.asarray(axes.transData.transform(np.concatenate([anchors, star])), dtype=np.float64)
    sizes = np.array([*([6.6 * len(name) + 6, 16.0] for name in names), [STAR, STAR]])
    moved = spots.copy()
    for _ in range(_PUSHES):
        gaps = moved[:, None] - moved[None]
        room = (sizes[:, None] + sizes[None]) / 2 - np.abs(gaps)
        clash = (room > 0).all(axis=2) & ~np.eye(len(sizes), dtype=bool)
        upward = np.where(gaps[..., 1] >= 0, 1.0, -1.0)
        moved[:-1, 1] += np.where(clash, upward * room[..., 1] / 4, 0).sum(axis=1)[:-1]
    texts = axes.transData.inverted().transform(moved[:-1])
    for name, anchor, text in zip(names, anchors, texts, strict=True):
        axes.annotate(
            name,
            (float(anchor[0]), float(anchor[1])),
            (float(text[0]), float(text[1])),
            ha="center",
            va="center",
            fontsize=9,
            fontweight="bold" if name in colours else "normal",
            color="white" if name in colours else INK,
            bbox={"boxstyle": "round,pad=0.15", "fc": colours.get(name, "white"), "ec": "none", "alpha": 0.85},
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.6},
        )


def reliability(outcomes: Outcomes) -> Figure:
    """Draw how often answers are right, in bins with equal numbers of queries, and the distribution of confidence."""
    right = outcomes.rank == 1
    confidence = outcomes.confidence
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(7.5, 7.5), sharex=True, height_ratios=(3, 1))
    parts = np.array_split(np.argsort(confidence, kind="stable"), BINS)
    means = np.array([confidence[part].mean() for part in parts])
    shares = np.array([right[part].mean() for part in parts])
    ends = np.array([_wilson(right[part]) for part in parts]).T
    spans = np.clip([shares - ends[0], ends[1] - shares], 0, None)
    upper.plot([0, 1], [0, 1], color=GREY, linestyle="--", label="perfectly calibrated")
    upper.errorbar(means, shares, yerr=spans, fmt="o", color=PALETTE[0], capsize=2, elinewidth=1, label="95% interval")
    upper.set(ylabel="share that is right", ylim=(-0.03, 1.03))
    upper.legend(loc="upper left", frameon=False)
    upper.set_title(f"ECE {calibration_error(confidence, right):.3f}: {_lean(confidence, right)}")
    edges = np.linspace(0, 1, 21).tolist()
    lower.hist([confidence[right], confidence[~right]], edges, stacked=True, color=PALETTE[:2])
    lower.legend(["right", "wrong, or nothing fits"], loc="upper left", frameon=False)
    lower.set(xlabel="confidence of the first match", ylabel="queries", xlim=(-0.02, 1.02))
    return figure


def _lean(confidence: DoubleArray, right: BoolArray) -> str:
    """Describe whether confidences are too high or too low on average."""
    gap = float(confidence.mean() - right.mean())
    side = "too sure" if gap > 0 else "too modest"
    return f"on the whole {abs(gap):.3f} {side}, {len(right)} queries in {BINS} bins of equal mass"


def _wilson(right: BoolArray) -> tuple[float, float]:
    """Compute the ends of Wilson's 95% interval of a share."""
    count, share = len(right), float(right.mean())
    middle = share + _Z**2 / (2 * count)
    reach = _Z * float(np.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2)))
    scale = 1 + _Z**2 / count
    return (middle - reach) / scale, (middle + reach) / scale
