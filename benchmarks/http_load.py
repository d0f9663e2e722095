"""Many clients of one server over HTTP: `python -m benchmarks.http_load [--clients 64] [--calls 10000]`.

Every answer is compared with the one that a single client got before. In the same run the same clients ask a bare
server of the SDK with a trivial tool, which is the yardstick; then more ask ours than it takes on, and then one client
again. The clients are one process on the same machine and take their share of it. Exit status 1 when an answer was
wrong or missing, when memory grew by more than a tenth after the first 1,000 calls, or when the overload was not borne.
"""

import argparse
import json
import sys
from typing import Any, Final

import anyio

from benchmarks.http_callers import RIGHT, SHED, Round, ask_all, echoes, lookups, right_answers
from benchmarks.http_server_process import BARE, OURS, ROOT, ServerProcess, machine, served

RESULTS: Final = ROOT / "benchmarks" / "results" / "http_load.json"
MOST_GROWTH: Final = 1.1
CALLS_AFTERWARDS: Final = 100

LOAD: Final = "agent-capabilities"
YARDSTICK: Final = "bare SDK server"
OVERLOAD: Final = "agent-capabilities, overload"
AFTERWARDS: Final = "agent-capabilities, after the overload"


async def load_ours(server: ServerProcess, clients: int, calls: int, crowd: int) -> dict[str, Round]:
    """As many as it can bear, more, and one."""
    questions = lookups()
    right = await right_answers(server, questions)
    return {
        LOAD: await ask_all(server, questions, right, clients, calls),
        OVERLOAD: await ask_all(server, questions, right, crowd, crowd * 4),
        AFTERWARDS: await ask_all(server, questions, right, 1, CALLS_AFTERWARDS),
    }


async def load_bare(server: ServerProcess, clients: int, calls: int) -> dict[str, Round]:
    """The same calls of the yardstick."""
    questions = echoes()
    return {YARDSTICK: await ask_all(server, questions, await right_answers(server, questions), clients, calls)}


def faults(rounds: dict[str, Round]) -> list[str]:
    """What must not be."""
    found = [f"{name}: {rounds[name].outcomes()}" for name in (LOAD, AFTERWARDS) if not rounds[name].only(RIGHT)]
    if not rounds[OVERLOAD].only(RIGHT, SHED):
        found.append(f"{OVERLOAD}: {rounds[OVERLOAD].outcomes()}, which is not some right and the others shed with 503")
    if rounds[LOAD].memory_ratio() > MOST_GROWTH:
        found.append(f"{LOAD}: memory grew to {rounds[LOAD].memory_ratio():.2f} of what it was")
    return found


def show(name: str, figures: dict[str, Any]) -> None:
    """One round, in lines for people."""
    print(f"{name}: {figures['clients']} clients, {figures['calls']} calls: {figures['outcomes']}")
    latency = (
        f", median {figures['median'] * 1e3:.0f} ms, p99 {figures['p99'] * 1e3:.0f} ms" if "p99" in figures else ""
    )
    print(f"  {figures['callsPerSecond']:.0f} calls a second{latency}")
    memory = " then ".join(f"{value:.0f}" for value in figures["memory"])
    print(f"  resident memory {memory} MB, ratio {figures['ratio']:.3f}")


def main() -> int:
    """Load both servers, print what came of it, and say whether ours held."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clients", type=int, default=64, help="at the same time (default: 64)")
    options.add_argument("--calls", type=int, default=10_000, help="in all (default: 10000)")
    options.add_argument("--crowd", type=int, default=512, help="clients of the overload (default: 512)")
    options.add_argument("--port", type=int, default=8871, help="to listen on (default: 8871)")
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
