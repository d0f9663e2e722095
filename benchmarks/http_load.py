"""Loads one server over HTTP with many clients: `python -m benchmarks.http_load [--clients 64] [--calls 10000]`.

Every answer is compared with the one that a single client got before. In the same run, as many clients call the
baseline, a bare SDK server with a trivial tool. After the load, more clients call our server than it accepts (the
overload), and then a single client calls it again. All clients run in one process on the same machine and share its
cores. The exit status is 1 if an answer was wrong or missing, if memory grew by more than a tenth after the first 1,000
calls, or if the overload had other outcomes than right answers and rejections with 503, or lacked either.
"""

import argparse
import json
import sys
from typing import Any, Final

import anyio

from benchmarks.http_callers import RIGHT, SHED, Round, ask_all, echoes, lookups, right_answers
from benchmarks.http_server_process import BARE, OURS, ROOT, ServerProcess, machine, served

RESULTS: Final = ROOT / "benchmarks" / "results" / "http_load.json"
MAX_GROWTH: Final = 1.1
CALLS_AFTERWARDS: Final = 100

LOAD: Final = "agent-capabilities"
YARDSTICK: Final = "bare SDK server"
OVERLOAD: Final = "agent-capabilities, overload"
AFTERWARDS: Final = "agent-capabilities, after the overload"


async def load_ours(server: ServerProcess, clients: int, calls: int, crowd: int) -> dict[str, Round]:
    """Run three rounds on our server: the load, the overload, and a single client afterwards."""
    questions = lookups()
    right = await right_answers(server, questions)
    return {
        LOAD: await ask_all(server, questions, right, clients, calls),
        OVERLOAD: await ask_all(server, questions, right, crowd, crowd * 4),
        AFTERWARDS: await ask_all(server, questions, right, 1, CALLS_AFTERWARDS),
    }


async def load_bare(server: ServerProcess, clients: int, calls: int) -> dict[str, Round]:
    """Run the load on the baseline."""
    questions = echoes()
    return {YARDSTICK: await ask_all(server, questions, await right_answers(server, questions), clients, calls)}


def faults(rounds: dict[str, Round]) -> list[str]:
    """List the reasons for exit status 1."""
    found = [f"{name}: {rounds[name].outcomes()}" for name in (LOAD, AFTERWARDS) if not rounds[name].only(RIGHT)]
    if not rounds[OVERLOAD].only(RIGHT, SHED):
        found.append(f"{OVERLOAD}: {rounds[OVERLOAD].outcomes()}; expected some right answers and 503 for the rest")
    if rounds[LOAD].memory_ratio() > MAX_GROWTH:
        found.append(f"{LOAD}: memory grew to {rounds[LOAD].memory_ratio():.2f} times its first value")
    return found


def show(name: str, figures: dict[str, Any]) -> None:
    """Print one round as lines for a person to read."""
    print(f"{name}: {figures['clients']} clients, {figures['calls']} calls: {figures['outcomes']}")
    latency = (
        f", median {figures['median'] * 1e3:.0f} ms, p99 {figures['p99'] * 1e3:.0f} ms" if "p99" in figures else ""
    )
    print(f"  {figures['callsPerSecond']:.0f} calls a second{latency}")
    memory = " then ".join(f"{value:.0f}" for value in figures["memory"])
    print(f"  resident memory {memory} MB, ratio {figures['ratio']:.3f}")


def main() -> int:
    """Load both servers and print the results; return the exit status."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clients", type=int, default=64, help="concurrent clients (default: 64)")
    options.add_argument("--calls", type=int, default=10_000, help="calls in total (default: 10000)")
    options.add_argument("--crowd", type=int, default=512, help="concurrent clients of the overload (default: 512)")
    options.add_argument("--port", type=int, default=8871, help="port that the servers listen on (default: 8871)")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.relative_to(ROOT).as_posix()}")
    chosen = options.parse_args()
    with served(BARE, chosen.port) as server:
        rounds = anyio.run(load_bare, server, chosen.clients, chosen.calls)
    with served(OURS, chosen.port) as server:
        rounds |= anyio.run(load_ours, server, chosen.clients, chosen.calls, chosen.crowd)
    results = {name: rounds[name].to_dict() for name in (LOAD, YARDSTICK, OVERLOAD, AFTERWARDS)}
    for name, figures in results.items():
        show(name, figures)
    if chosen.write:
        content = json.dumps({"machine": machine(), "results": results}, indent=1)
        RESULTS.write_text(content + "\n", encoding="utf-8", newline="\n")
    wrong = faults(rounds)
    for fault in wrong:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
