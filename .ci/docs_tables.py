"""Stored results as Markdown tables."""

import importlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from docs_measure import ACCURACY, RESULTS

Figures = Mapping[str, float | None]


def accuracy_table() -> str:
    """Return the stored figures of the labelled queries, by kind where there are several."""
    names = ("top1", "top3", "coverage", "precision", "falseResolve", "auroc", "ece")
    rows: list[tuple[str, Figures]] = []
    for name, figures in _stored(ACCURACY.name).items():
        kinds = {f"of these, {kind}": values for kind, values in figures["strata"].items() if "top1" in values}
        rows += [(f"`{name}`", figures), *(kinds.items() if len(figures["strata"]) > 2 else ())]
    return _figures("queries", names, rows)


def summary_table() -> str:
    """Return the figures of the held-out queries that matter most."""
    titles = {"top1": "right first", "top3": "right in three", "precision": "right when `resolved`", "ece": "ECE"}
    stored = _stored(ACCURACY.name)
    rows = [(f"`{name}` ({stored[name]['rows']})", stored[name]) for name in ("held_out_kinds", "held_out_needs")]
    return _figures("held-out queries", tuple(titles), rows, titles)


def peer_table() -> str:
    """Return the stored results of `benchmarks.matching`."""
    from benchmarks.matching_report import readme

    return readme(_stored("matching.json")["results"])


def stored_table(benchmark: str) -> str:
    """Return the stored results of a benchmark as its module formats them.

    Args:
        benchmark: name of the module in `benchmarks`, and of its file of results.
    """
    table: Callable[[Any], str] = importlib.import_module(f"benchmarks.{benchmark}").table
    return table(_stored(f"{benchmark}.json"))


def encoder_table() -> str:
    """Return the stored results of `benchmarks.encoder`."""
    from benchmarks.encoder_report import readme

    return readme(_stored("encoder.json")["results"])


def answer_table() -> str:
    """Return the stored shares of right answers of `benchmarks.answers`."""
    from benchmarks.answers import table

    return table(_stored("answers.json")["answers"])


def facet_table() -> str:
    """Return the stored figures of facets of `benchmarks.answers`."""
    from benchmarks.answers import facet_table

    return facet_table(_stored("answers.json")["facets"])


def worst_case_table() -> str:
    """Return the stored results of `benchmarks.worst_cases`."""
    rows = [f"| {row['limit']} | {row['seconds']:.2f} | {row['megabytes']} MB |" for row in _stored("worst_cases.json")]
    return "\n".join(["| limit | seconds of one core | memory |", "|---|---:|---:|", *rows])


def load_table() -> str:
    """Return the stored results of `benchmarks.http_load`."""
    stored = _stored("http_load.json")
    lines = ["| server | clients | calls | outcomes | calls a second | median | p99 | memory |", "|---|" + "---:|" * 7]
    for name, figures in stored["results"].items():
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in figures["outcomes"].items())
        times = f"{figures['median'] * 1e3:,.0f} ms | {figures['p99'] * 1e3:,.0f} ms"
        memory = ", then ".join(f"{megabytes:.0f}" for megabytes in figures["memory"])
        lines.append(
            f"| {name} | {figures['clients']} | {figures['calls']:,} | {outcomes} | {figures['callsPerSecond']:.0f} | "
            f"{times} | {memory} MB |"
        )
    machine = stored["machine"]
    lines += ["", f"{machine['cores']} cores of {machine['processor']} ({', '.join(machine['instructions'])})."]
    return "\n".join(lines)


def gateway_tables() -> str:
    """Return the stored results of `benchmarks.gateway`."""
    from benchmarks.gateways.report import readme

    return readme(_stored("gateway.json"))


def host_table() -> str:
    """Return the stored results of `tests.hosts.report`."""
    from tests.hosts.report import table

    return table(_stored("hosts.json"))


def _stored(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return content


def _figures(
    first: str, names: tuple[str, ...], rows: list[tuple[str, Figures]], titles: Mapping[str, str] | None = None
) -> str:
    """Labelled figures: whole numbers as they are, others with three decimals, absent ones left blank."""
    heads = [(titles or {}).get(name, name) for name in names]
    lines = [f"| {first} | {' | '.join(heads)} |", "|---|" + "---:|" * len(names)]
    return "\n".join(
        [*lines, *(f"| {label} | {' | '.join(_shown(row.get(n)) for n in names)} |" for label, row in rows)]
    )


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.3f}"
