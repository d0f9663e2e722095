"""Reports the results of `benchmarks.matching` as tables and as JSON."""

import json
import statistics
from importlib import metadata
from pathlib import Path
from typing import Final

Results = dict[str, dict[str, dict[str, list[float]]]]
"""Data, matcher, figure: one value per seed."""

FOLDER: Final = Path(__file__).resolve().parent / "results"
FIGURES: Final = {
    "top1": "top-1",
    "top3": "top-3",
    "auroc": "AUROC",
    "ece": "ECE",
    "served_none": "served `no_match`",
    "unserved_none": "unserved `no_match`",
    "unserved_resolved": "unserved `resolved`",
    "overall": "overall",
    "mcc": "MCC",
}
TITLES: Final = {
    "dev": "The shipped catalog, dev.jsonl",
    "clinc150": "CLINC150",
    "hwu64": "HWU64",
    "tools": "ToolAlpaca's tools",
    "hint3": "HINT3",
}
SHORT: Final = {"dev": "ours", "clinc150": "CLINC150", "hwu64": "HWU64", "tools": "tools", "hint3": "bot"}
LIBRARIES: Final = ("numpy", "onnxruntime", "rapidfuzz", "rank-bm25", "scikit-learn", "semantic-router")
README_COLUMNS: Final = (
    ("dev", "top1"),
    ("dev", "auroc"),
    ("clinc150-1", "top1"),
    ("clinc150-10", "top1"),
    ("clinc150-10", "auroc"),
    ("hwu64-5", "top1"),
    ("hwu64-10", "top1"),
    ("tools-0", "top1"),
    ("tools-0", "auroc"),
    ("tools-8", "top1"),
    ("hint3-curekart", "overall"),
    ("hint3-curekart", "mcc"),
)


def tables(found: Results) -> str:
    """Format a Markdown table for each kind of data: mean and standard deviation over the seeds."""
    parts = []
    for data, by_peer in found.items():
        seeds = max(len(values) for figures in by_peer.values() for values in figures.values())
        parts.append(f"### {_title(data)}" + (f", {seeds} seeds\n" if seeds > 1 else "\n"))
        had = [figure for figure in FIGURES if any(figure in values for values in by_peer.values())]
        rows = [[name, *(_shown(values.get(figure)) for figure in had)] for name, values in by_peer.items()]
        parts.append(_markdown(["matcher", *(FIGURES[figure] for figure in had)], rows) + "\n")
    return "\n".join(parts)


def readme(found: Results) -> str:
    """Format one table of the most important figures: means only, the best of each column in bold."""
    columns = [
        (data, figure)
        for data, figure in README_COLUMNS
        if any(figure in values for values in found.get(data, {}).values())
    ]
    means = {
        (data, figure): {
            name: statistics.mean(values[figure]) for name, values in found[data].items() if figure in values
        }
        for data, figure in columns
    }
    best = {
        column: (min if column[1] == "ece" else max)(round(value, 3) for value in by_peer.values())
        for column, by_peer in means.items()
    }
    rows = []
    for name in dict.fromkeys(name for data, _ in columns for name in found[data]):
        cells = []
        for column in columns:
            value = means[column].get(name)
            shown = "" if value is None else f"{value:.3f}"
            cells.append(f"**{shown}**" if value is not None and round(value, 3) == best[column] else shown)
        rows.append([name, *cells])
    return _markdown(["matcher", *(f"{_short(data)}: {FIGURES[figure]}" for data, figure in columns)], rows)


def write(found: Results, catalog: str) -> Results:
    """Store the results with the library versions and the fingerprint of the shipped catalog, and return all stored.

    Those of data that were not measured now are kept, in the order of `TITLES`.
    """
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "matching.json"
    before: Results = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else {}
    results = dict(sorted((before | found).items(), key=lambda item: _place(item[0])))
    content = {"libraries": {name: _version(name) for name in LIBRARIES}, "catalog": catalog, "results": results}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return results


def _place(data: str) -> tuple[int, int, str]:
    kind, _, part = data.partition("-")
    return list(TITLES).index(kind), int(part) if part.isdecimal() else 0, part


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _title(data: str) -> str:
    kind, _, part = data.partition("-")
    if not part:
        return TITLES[kind]
    examples = f"{part} {'example' if part == '1' else 'examples'} a label" if part.isdecimal() else part
    return f"{TITLES[kind]}, {examples}"


def _short(data: str) -> str:
    kind, _, part = data.partition("-")
    return f"{SHORT[kind]} x {part}" if part.isdecimal() else SHORT[kind]


def _shown(values: list[float] | None) -> str:
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.3f}{spread}"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
