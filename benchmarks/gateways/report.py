"""The stored results of `benchmarks.gateway` as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from benchmarks.gateways.costs import NEEDS

Row = Mapping[str, float]

_TITLES: Final = {
    "agents": "needs of agents",
    "servers": "the tools of real servers",
    "toolalpaca": "ToolAlpaca",
}


def readme(stored: Mapping[str, Any]) -> str:
    """Return all tables, with what they were measured on."""
    parts = [_offers(name, found) for name, found in stored["sets"].items()]
    parts += [_costs(name, found) for name, found in stored["sets"].items()]
    parts += [_latency(stored["latency"]), _starts(stored["starts"]), _run(stored["run"])]
    return "\n\n".join(parts)


def _offers(name: str, found: Mapping[str, Any]) -> str:
    figures = found["offers"]
    first = next(iter(figures.values()))
    columns: dict[str, Callable[[Row], str]] = {
        "right first": lambda row: _percent(row["rightFirst"]),
        "right offered": lambda row: _percent(row["rightOffered"]),
        "only wrong ones": lambda row: _percent(row["wrongAlone"]),
        "none": lambda row: _percent(row["noneOffered"]),
        "tools offered": lambda row: f"{row['toolsOffered']:.1f}",
        "resolved": lambda row: _percent(row.get("coverage")),
        "right when resolved": lambda row: _percent(row.get("precision")),
        "false offers": lambda row: _percent(row["falseOffer"]),
        "false, resolved": lambda row: _percent(row.get("falseResolve")),
    }
    head = (
        f"Offers on {_titled(name)}: {found['tools']} tools of {found['servers']} servers, {first['served']} requests "
        f"that tools serve, {first['unserved']} that none serves."
    )
    rows = [[gateway, *(cell(row) for cell in columns.values())] for gateway, row in figures.items()]
    return f"{head}\n\n{_table(['gateway', *columns], rows)}"


def _costs(name: str, found: Mapping[str, Any]) -> str:
    heads = ["gateway", "definitions", "search", "search, none serves", *(f"after {needs}" for needs in NEEDS)]
    rows = [
        [
            gateway,
            f"{row['definitions']:,}",
            *(f"{row[key]:,.0f}" for key in ("search", "unserved")),
            *(_percent(row[f"after{needs}"]) for needs in NEEDS),
        ]
        for gateway, row in found["costs"].items()
    ]
    rows.insert(0, ["all tools listed", f"{found['everything']:,}", "", "", *("100.0%" for _ in NEEDS)])
    return f"Tokens (cl100k) on {_titled(name)}.\n\n{_table(heads, rows)}"


def _latency(found: Mapping[str, Any]) -> str:
    rows = []
    for name in dict.fromkeys([*found["call"], *found["search"]]):
        call, search = found["call"].get(name, {}), found["search"].get(name, {})
        cells = [_ms(figures.get(key)) for figures in (call, search) for key in ("p50", "p95", "added")]
        rows.append([name, *cells])
    heads = ["client", "call p50", "call p95", "call, added", "search p50", "search p95", "search, added"]
    told = (
        f"Latency in milliseconds, with {found['upstreams']} upstreams connected; {found['rounds']} rounds of "
        f"{found['each']} each."
    )
    return f"{told}\n\n{_table(heads, rows)}"


def _starts(found: Mapping[str, Any]) -> str:
    rows = [
        [f"{gateway}, {state}", *(f"{row[key]:,.0f}" for key in ("listed", "searched", "complete", "slowest"))]
        for gateway, states in found["gateways"].items()
        for state, row in states.items()
    ]
    heads = ["gateway", "`tools/list`", "first search", "first complete search", "slowest of these"]
    told = (
        f"Milliseconds from the start of the process, with {found['upstreams']} upstreams: medians of {found['count']}."
    )
    return f"{told}\n\n{_table(heads, rows)}"


def _run(run: Mapping[str, Any]) -> str:
    machine = run["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    return (
        f"{run['date']}, {machine['cores']} cores of {machine['processor']} ({', '.join(machine['instructions'])}), "
        f"shared with other work; load average {run['load'][0]:.1f} before and {run['load'][1]:.1f} after. {versions}."
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = "|---|" + "---:|" * (len(heads) - 1)
    return "\n".join([f"| {' | '.join(heads)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


def _titled(name: str) -> str:
    return _TITLES.get(name, name)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
