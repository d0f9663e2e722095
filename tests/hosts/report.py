"""The table of the hosts: `python -m tests.hosts.report [--write] [--repeat N] [HOST ...]`.

It runs each host, prints what was found, and with `--write` stores it for `.ci/docs.py write`. What was stored of a
host that is not run, or cannot be had here, stays with its date.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from checks.packages import NotInstalledError
from tests.hosts import inspector
from tests.hosts.entries import add_gateway, add_serve
from tests.hosts.hosts import HOSTS, SERVERS, Host
from tests.hosts.measuring import (
    GATEWAY_TOOLS,
    Conversation,
    converse,
    converse_once,
    converse_through_gateway,
    is_listed,
    kill_server,
    list_servers,
    private_home,
    serve_offer,
)

STORED: Final = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "hosts.json"

Figures = dict[str, Any]


def measure(host: Host, repeat: int) -> Figures:
    """Return what a host does with our servers.

    Raises:
        NotInstalledError: its package cannot be had.
    """
    with private_home() as home:
        version = host.version(home)
    listed = list_servers(host, add_serve, add_gateway)
    alone = [converse(host) for _ in range(repeat)]
    served = [converse_once(host) for _ in range(repeat)]
    gateways = [converse_through_gateway(host) for _ in range(repeat)]
    offer, killed = serve_offer(), kill_server(host)
    return {
        "title": host.title,
        "version": version,
        "listed": [name for name in SERVERS if is_listed(host, name, listed)],
        "listConnects": host.checks,
        "firstRequest": {
            "serve": [sum(each.offered_first(offer.tools) for each in served), repeat],
            "gateway": [sum(each.offered_first(GATEWAY_TOOLS) for each in gateways), repeat],
        },
        "answered": all(len(each.turns) > 1 and all(each.answers()) for each in served),
        "instructions": all(offer.instructed(each.turns[0]) for each in served),
        "afterKill": {"calls": [*killed.calls], "resumed": killed.resumed},
        "seconds": {"alone": _seconds(alone), "serve": _seconds(served), "gateway": _seconds(gateways)},
    }


def _seconds(runs: Sequence[Conversation]) -> float:
    return round(statistics.median(each.seconds for each in runs), 1)


def table(stored: Mapping[str, Figures]) -> str:
    """Return what was stored as a table."""
    heads = (
        *("host", "version", "its own list says", "tools of `serve` in the first request", "of the gateway"),
        *("instructions passed", "calls after the server was killed", "seconds to the first request", "last run"),
    )
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---:|---:|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(_cells(figures))} |" for figures in stored.values())])


def _cells(figures: Figures) -> list[str]:
    found = figures["firstRequest"]
    first = [f"{found[name][0]} of {found[name][1]}" if name in found else "" for name in ("serve", "gateway")]
    listed = "connected" if figures["listConnects"] else "configured (it does not connect)"
    seconds = figures.get("seconds")
    return [
        figures["title"],
        figures["version"],
        listed if len(figures["listed"]) == len(SERVERS) else "not there",
        *first,
        "yes" if figures["instructions"] else "no",
        _calls(figures.get("afterKill")),
        f"{seconds['alone']}; {seconds['serve']} with `serve`, {seconds['gateway']} with the gateway"
        if seconds
        else "",
        figures["date"],
    ]


def _calls(killed: Mapping[str, Any] | None) -> str:
    if killed is None:
        return ""
    if not any(killed["calls"]):
        return "fail until the conversation is resumed" if killed["resumed"] else "fail"
    return "work" if all(killed["calls"]) else "the first fails, the next works"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and store. Returns the exit status."""
    names = [*(host.name for host in HOSTS), inspector.NAME]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", nargs="*", metavar="HOST", help=f"{', '.join(names)} (default: all)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each conversation (default: 1)")
    parser.add_argument("--write", action="store_true", help=f"store what was found in {STORED.name}")
    options = parser.parse_args(arguments)
    if wrong := {*options.host} - {*names}:
        parser.error(f"unknown host {min(wrong)!r}; the hosts are {', '.join(names)}; name some of these")
    found = _measured(options.host or names, options.repeat)
    if options.write:
        before = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
        merged = {name: (before | found)[name] for name in names if name in before | found}
        STORED.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8", newline="\n")
    return 0 if found else 1


def _measured(names: Sequence[str], repeat: int) -> dict[str, Figures]:
    hosts = {host.name: host for host in HOSTS}
    found: dict[str, Figures] = {}
    for name in names:
        try:
            figures = measure(hosts[name], repeat) if name in hosts else inspector.measure()
        except NotInstalledError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        found[name] = {**figures, "date": datetime.now(UTC).date().isoformat()}
        print(json.dumps({name: found[name]}))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
