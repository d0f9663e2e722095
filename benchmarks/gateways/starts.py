"""Time from a gateway's start to its answers, with nothing cached and with the caches of the start before."""

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.gateways.contestants import Contestant, read_offer
from benchmarks.gateways.tool_set import Key, ToolRequest, ToolSet
from benchmarks.stdio import Connection

PAUSE: Final = 0.05
STAYS: Final = 1.0
"""Seconds for which answers have to stay complete: with tools of further upstreams they are not, for a while."""

LONGEST: Final = 300.0
"""Maximum seconds that a gateway may take; 441 tools with examples took more than one minute on two busy cores."""


@dataclass(frozen=True)
class Start:
    """Seconds from the start of the process.

    Attributes:
        listed: to the answer to `tools/list`.
        searched: to the answer of the first search.
        complete: to the first search of all upstreams, by meaning where the gateway does that.
    """

    listed: float
    searched: float
    complete: float


def measure_starts(
    gateways: Sequence[Contestant], tools: ToolSet, config: Path, count: int
) -> dict[str, dict[str, list[Start]]]:
    """Start the gateways in turns: each without a cache, and those that keep one once more with it."""
    found: dict[str, dict[str, list[Start]]] = {gateway.name: {} for gateway in gateways}
    request = _unserved(tools)
    for _ in range(count):
        for gateway in gateways:
            names = {name: key for key, name in gateway.names(tools).items()}
            with TemporaryDirectory() as folder:
                for state in ("cold", "warm") if gateway.warm else ("cold",):
                    start = one_start(gateway, names, config, Path(folder), request)
                    found[gateway.name].setdefault(state, []).append(start)
    return found


def one_start(gateway: Contestant, names: Mapping[str, Key], config: Path, folder: Path, request: ToolRequest) -> Start:
    """Start a gateway, list its tools, and search until the answer is complete."""
    with gateway.open(config, folder) as connection:
        connection.request("tools/list")
        listed = time.perf_counter() - connection.started
        searched, complete = until_complete(gateway, connection, names, request)
        return Start(listed, searched, complete)


def settle(gateway: Contestant, connection: Connection, names: Mapping[str, Key], tools: ToolSet) -> None:
    """Wait until a gateway searches all upstreams."""
    until_complete(gateway, connection, names, _unserved(tools))


def until_complete(
    gateway: Contestant, connection: Connection, names: Mapping[str, Key], request: ToolRequest
) -> tuple[float, float]:
    """Search until answers stay complete; the seconds from the start to the first answer, and to the complete one.

    Raises:
        TimeoutError: the answers are not complete after five minutes.
    """
    first, since = 0.0, None
    while True:
        offer = read_offer(gateway.search(connection, request.text), names)
        passed = time.perf_counter() - connection.started
        first = first or passed
        since = (since or passed) if offer.complete else None
        if since and passed - since > STAYS:
            return first, since
        if passed > LONGEST:
            raise TimeoutError(f"{gateway.name} is not complete after {passed:.0f} s: {offer.text}")
        time.sleep(PAUSE)


def _unserved(tools: ToolSet) -> ToolRequest:
    """Return a request that no tool serves: our gateway's answer then says which servers it waits for."""
    return next(request for request in tools.requests if not request.tools)


def start_figures(starts: Sequence[Start]) -> dict[str, float]:
    """Return the medians, in milliseconds, and the slowest time to a complete answer."""
    listed, searched, complete = (statistics.median(column) * 1e3 for column in zip(*map(astuple, starts), strict=True))
    slowest = max(start.complete for start in starts) * 1e3
    return {"listed": listed, "searched": searched, "complete": complete, "slowest": slowest}
