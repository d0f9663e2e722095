"""Measures starts over stdio beside a bare SDK server: `python -m benchmarks.start [--write]`.

The servers take turns. Of each start it measures, from the start of the process to the answer of `tools/list`, the time
that passes and the processor's time of the server, which other processes disturb less. The gateway has five servers
behind it, whose lists it knows from a start before.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from benchmarks.http_server_process import machine
from benchmarks.stdio import ROOT, Connection

RESULTS: Final = ROOT / "benchmarks" / "results" / "start.json"
BARE: Final = "bare SDK server"
OURS: Final = [sys.executable, "-m", "agent_capabilities"]
UPSTREAMS: Final = 5
PAUSE: Final = 0.05
LONGEST: Final = 60


class Started(NamedTuple):
    """Seconds until the tools were listed: those that passed, and those of the server's processor."""

    wall: float
    processor: float


def servers(folder: Path) -> dict[str, list[str]]:
    """Return the commands by name; the gateway's configuration is written to `folder`."""
    upstream = {"command": sys.executable, "args": ["-m", "benchmarks.bare_tools_server"], "cwd": str(ROOT)}
    config = folder / "mcp.json"
    named = {f"server{number}": upstream for number in range(UPSTREAMS)}
    config.write_text(json.dumps({"mcpServers": named}), encoding="utf-8")
    return {
        BARE: [sys.executable, "-m", "benchmarks.bare_tools_server"],
        "low-level SDK server with one tool": [sys.executable, "-m", "benchmarks.bare_server"],
        "`serve`": [*OURS, "serve"],
        f"`gateway` with {UPSTREAMS} servers": [*OURS, "gateway", "--config", str(config)],
    }


def started(command: list[str], env: Mapping[str, str]) -> Started:
    """Start a server and list its tools once."""
    # Imported here, because this package is optional.
    import psutil

    with Connection(command, env) as connection:
        if not connection.request("tools/list")["tools"]:
            raise ValueError(f"{command} listed no tool; a start ends with a list; start it by hand to see why")
        wall = time.perf_counter() - connection.started
        spent = psutil.Process(connection.pid).cpu_times()
    return Started(wall, spent.user + spent.system)


def warm(command: list[str], env: Mapping[str, str]) -> None:
    """Run the gateway until it has kept the lists of all its servers.

    Raises:
        TimeoutError: it has not after a minute.
    """
    with Connection(command, env) as connection:
        connection.request("tools/list")
        kept = Path(env["AGENT_CAPABILITIES_CACHE"])
        while len(list(kept.glob("gateway-lists/*.json"))) < UPSTREAMS:
            if time.perf_counter() - connection.started > LONGEST:
                raise TimeoutError(f"the gateway kept no lists of {UPSTREAMS} servers in {kept} within {LONGEST} s")
            time.sleep(PAUSE)


def measure(count: int) -> dict[str, list[Started]]:
    """Start all servers in turn, and that `count` times."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        kept = {"AGENT_CAPABILITIES_CACHE": str(folder / "cache"), "AGENT_CAPABILITIES_USER_DATA": str(folder / "data")}
        env = os.environ | kept
        commands = servers(folder)
        warm(list(commands.values())[-1], env)
        found: dict[str, list[Started]] = {name: [] for name in commands}
        for _ in range(count):
            for name, command in commands.items():
                found[name].append(started(command, env))
        return found


def figures(found: Mapping[str, Sequence[Started]]) -> dict[str, dict[str, float]]:
    """Return the medians in milliseconds, and the median ratios to the bare server's start of the same turn."""
    return {
        name: {
            "wall": round(statistics.median(run.wall for run in runs) * 1e3),
            "processor": round(statistics.median(run.processor for run in runs) * 1e3),
            "wallRatio": round(statistics.median(a.wall / b.wall for a, b in zip(runs, found[BARE], strict=True)), 3),
            "processorRatio": round(
                statistics.median(a.processor / b.processor for a, b in zip(runs, found[BARE], strict=True)), 3
            ),
        }
        for name, runs in found.items()
    }


def table(stored: Mapping[str, Any]) -> str:
    """Return the stored results as Markdown."""
    lines = ["| server | ms | ratio | ms of the processor | ratio |", "|---|---:|---:|---:|---:|"]
    for name, row in stored["results"].items():
        ratios = [f"{row[key]:.2f}" for key in ("wallRatio", "processorRatio")]
        lines.append(f"| {name} | {row['wall']:,} | {ratios[0]} | {row['processor']:,} | {ratios[1]} |")
    run = stored["machine"]
    before, after = stored["load"]
    told = (
        f"Medians of {stored['starts']} starts, and of their ratios to the bare server's start of the same turn. "
        f"{run['cores']} cores of {run['processor']}, shared with other work; load average {before} before and {after} "
        "after."
    )
    return "\n".join([*lines, "", told])


def main() -> None:
    """Measure, print the table and, if asked to, store the results."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--starts", type=int, default=20, help="starts of each server (default: 20)")
    options.add_argument("--write", action="store_true", help=f"store the results in {RESULTS.name}")
    chosen = options.parse_args()
    before = os.getloadavg()[0]
    found = figures(measure(chosen.starts))
    load = [round(before, 1), round(os.getloadavg()[0], 1)]
    stored = {"machine": machine(), "load": load, "starts": chosen.starts, "results": found}
    print(table(stored))
    if chosen.write:
        RESULTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
