"""Latency of calls and searches; gateways and the direct client take turns, so that the machine's noise hits all."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from benchmarks.gateways.tool_set import Key, ToolSet

Action = Callable[[int], object]
"""Does something the n-th time."""

DIRECT: Final = "direct client"
IN_PROCESS: Final = "match in process"


def rounds(actions: Mapping[str, Action], count: int, each: int) -> dict[str, list[list[float]]]:
    """Time some actions in turns; the order moves by one with each round.

    Returns:
        The seconds that each took, one list a round.
    """
    names = list(actions)
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for number in range(count):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            found[name].append([_timed(actions[name], number * each + turn) for turn in range(each)])
    return found


def latency_figures(found: Mapping[str, Sequence[Sequence[float]]], base: str) -> dict[str, dict[str, float]]:
    """Milliseconds: p50 and p95 of all rounds, and what is added to `base`.

    `added` is the median, over the rounds, of how far the round's median is above that of `base`; `addedP95` the same
    of the round's 95th percentiles.
    """
    return {name: _figures(times, found[base]) for name, times in found.items()}


def a_call(tools: ToolSet) -> tuple[Key, dict[str, Any]]:
    """Return a tool that can be called with texts alone, and arguments for it.

    Raises:
        ValueError: there is none.
    """
    for server, listed in tools.servers.items():
        for tool in listed["tools"]:
            schema = tool["inputSchema"]
            properties, required = schema.get("properties") or {}, schema.get("required") or []
            if properties and all(properties.get(name, {}).keys() <= {"type", "description"} for name in required):
                wanted = required or list(properties)[:1]
                if all(properties[name].get("type") == "string" for name in wanted):
                    return (server, tool["name"]), dict.fromkeys(wanted, "some text")
    raise ValueError("no tool can be called with texts alone; give a list of tools that has one")


def _figures(times: Sequence[Sequence[float]], base: Sequence[Sequence[float]]) -> dict[str, float]:
    together = np.concatenate([np.asarray(turn) for turn in times]) * 1e3
    found = {"p50": float(np.percentile(together, 50)), "p95": float(np.percentile(together, 95))}
    if times is not base:
        for name, share in (("added", 50), ("addedP95", 95)):
            apart = [np.percentile(a, share) - np.percentile(b, share) for a, b in zip(times, base, strict=True)]
            found[name] = float(np.median(apart)) * 1e3
    return found


def _timed(action: Action, number: int) -> float:
    start = time.perf_counter()
    action(number)
    return time.perf_counter() - start
