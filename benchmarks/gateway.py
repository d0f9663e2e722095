"""Measures the gateway beside others on the same upstreams: `python -m benchmarks.gateway --toolalpaca FOLDER ...`.

The upstreams are made: each serves the tools of one server from a file and answers a call with its arguments. In one
run, each gateway (ours, a plain cosine one with the same encoder, FastMCP's proxy with its BM25 search) gets

- the requests of each set: how often the right tool is offered, and how often one where none serves the request;
- the tokens of its definitions, searches and calls, beside those of all tools listed;
- calls and searches in turns with a direct client, for the latency that it adds;
- starts with nothing cached, and with what the start before left.

The sets are ToolAlpaca (`--toolalpaca` and `--clinc`, checkouts of github.com/tangqiaoyu/ToolAlpaca and
github.com/clinc/oos-eval), needs of agents in mid-task (`benchmarks/agent_needs.jsonl`, with `--agents`, the tools of
their servers), and the tools of one's own servers (`--tools`) with `benchmarks/gateway_requests.jsonl`. Tools are as
`agent-capabilities gateway --config FILE catalog` prints them. Latency and starts are measured on the last set.
FastMCP runs with the Python of `--fastmcp`, so that it need not be installed beside this project.
"""

import argparse
import json
import os
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.gateways.contestants import UPSTREAM, Contestant, Offer, contestants, read_offer
from benchmarks.gateways.costs import all_definitions, cost_figures, gateway_costs
from benchmarks.gateways.measured_latency import measure_latency
from benchmarks.gateways.offers import offer_figures
from benchmarks.gateways.report import readme
from benchmarks.gateways.starts import measure_starts, settle, start_figures
from benchmarks.gateways.tool_set import ToolSet, own_servers, toolalpaca
from benchmarks.http_server_process import machine
from benchmarks.stdio import ROOT

RESULTS: Final = ROOT / "benchmarks" / "results" / "gateway.json"
REQUESTS: Final = ROOT / "benchmarks" / "gateway_requests.jsonl"
AGENT_NEEDS: Final = ROOT / "benchmarks" / "agent_needs.jsonl"


def measure_set(gateways: list[Contestant], tools: ToolSet, folder: Path) -> dict[str, Any]:
    """Offers and tokens of each gateway on a set."""
    config, everything = tools.write(folder, UPSTREAM), all_definitions(tools)
    offers, costs = {}, {}
    for gateway in gateways:
        names = gateway.names(tools)
        keys = {name: key for key, name in names.items()}
        with gateway.open(config, folder / gateway.name) as connection:
            settle(gateway, connection, keys, tools)
            found: list[Offer] = [
                read_offer(gateway.search(connection, request.text), keys) for request in tools.requests
            ]
            if not all(offer.complete for offer in found):
                raise ValueError(f"{gateway.name} answered without all upstreams after it had answered with all")
            used = gateway_costs(connection, gateway.argument, names, tools.requests, found)
        offers[gateway.name] = offer_figures(tools.requests, found)
        costs[gateway.name] = cost_figures(used, everything)
    about = {"servers": len(tools.servers), "tools": len(tools.keys), "everything": everything.definitions}
    return {**about, "offers": offers, "costs": costs}


def versions(fastmcp: str | None) -> dict[str, str]:
    """Versions of what was measured."""
    found = {name: version(name) for name in ("agent-capabilities", "mcp", "onnxruntime")}
    if fastmcp:
        asked = "from importlib.metadata import version; print(version('fastmcp'))"
        told = subprocess.run([fastmcp, "-c", asked], capture_output=True, text=True, check=True)
        found["fastmcp"] = told.stdout.strip()
    return found


def read_sets(chosen: argparse.Namespace) -> list[ToolSet]:
    """Return the sets that the options name."""
    found = []
    if chosen.toolalpaca and chosen.clinc:
        found.append(toolalpaca(chosen.toolalpaca, chosen.clinc))
    if chosen.agents:
        found.append(own_servers("agents", chosen.agents, AGENT_NEEDS))
    if chosen.tools:
        found.append(own_servers("servers", chosen.tools, chosen.requests))
    return found


def measure(chosen: argparse.Namespace, sets: list[ToolSet]) -> dict[str, Any]:
    """Measure everything."""
    gateways, before = contestants(chosen.fastmcp), os.getloadavg()[0]
    with TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[str, Any] = {"sets": {each.name: measure_set(gateways, each, folder) for each in sets}}
        few = sets[-1].first(chosen.upstreams)
        found["latency"] = measure_latency(gateways, few, folder, chosen.rounds, chosen.each)
        starts = measure_starts(gateways, few, few.write(folder, UPSTREAM), chosen.starts)
    found["starts"] = {
        "upstreams": len(few.servers),
        "count": chosen.starts,
        "gateways": {
            gateway: {state: start_figures(each) for state, each in states.items()}
            for gateway, states in starts.items()
        },
    }
    found["run"] = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine(),
        "load": [before, os.getloadavg()[0]],
        "versions": versions(chosen.fastmcp),
    }
    return found


def main() -> None:
    """Measure and print; with `--write` also store."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--toolalpaca", type=Path, metavar="FOLDER", help="checkout of ToolAlpaca")
    options.add_argument("--clinc", type=Path, metavar="FILE", help="data_full.json of CLINC150")
    options.add_argument("--agents", type=Path, metavar="FILE", help=f"tools of the servers of {AGENT_NEEDS.name}")
    options.add_argument("--tools", type=Path, metavar="FILE", help='{"server": {"tools": [...]}}')
    options.add_argument("--requests", type=Path, metavar="FILE", default=REQUESTS, help="of --tools")
    options.add_argument("--fastmcp", metavar="PYTHON", help="interpreter of an environment that has fastmcp")
    options.add_argument("--upstreams", type=int, default=10, help="upstreams of latency and starts (default: 10)")
    options.add_argument("--rounds", type=int, default=15, help="turns of each (default: 15)")
    options.add_argument("--each", type=int, default=20, help="calls and searches in a turn (default: 20)")
    options.add_argument("--starts", type=int, default=7, help="starts of each (default: 7)")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.relative_to(ROOT).as_posix()}")
    chosen = options.parse_args()
    sets = read_sets(chosen)
    if not sets:
        options.error("no set of tools was given; give --toolalpaca with --clinc, --agents or --tools")
    found = measure(chosen, sets)
    print(readme(found))
    if chosen.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
