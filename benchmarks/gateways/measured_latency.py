"""Measures latency on one set of upstreams: calls, and searches beside a match in process."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import mcp_types as types

from benchmarks.gateways.contestants import UPSTREAM, Contestant
from benchmarks.gateways.latency import DIRECT, IN_PROCESS, Action, a_call, latency_figures, rounds
from benchmarks.gateways.starts import settle
from benchmarks.gateways.tool_set import ToolSet
from benchmarks.stdio import Connection
from embeddings.ranking.match_result import MatchResult
from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.gateway.tool_catalog.tool_index import ToolIndex


def measure_latency(
    gateways: Sequence[Contestant], tools: ToolSet, folder: Path, count: int, each: int
) -> dict[str, Any]:
    """Latency of each gateway, of a direct client and of a match in process; all are open at the same time."""
    config, (key, arguments) = tools.write(folder, UPSTREAM), a_call(tools)
    upstream = json.loads(config.read_text(encoding="utf-8"))["mcpServers"][key[0]]
    texts = [request.text for request in tools.requests]
    match = in_process(tools)
    with ExitStack() as stack:
        direct = stack.enter_context(Connection([upstream["command"], *upstream["args"]]))
        calls: dict[str, Action] = {DIRECT: lambda _: direct.request("tools/call", name=key[1], arguments=arguments)}
        searches: dict[str, Action] = {IN_PROCESS: lambda number: match(_phrase(texts, number))}
        for gateway in gateways:
            connection = stack.enter_context(gateway.open(config, folder / gateway.name))
            names = gateway.names(tools)
            settle(gateway, connection, {name: each_key for each_key, name in names.items()}, tools)
            calls[gateway.name] = _call(gateway, connection, names[key], arguments)
            searches[gateway.name] = _search(gateway, connection, texts)
        found = {
            "call": latency_figures(_warm_rounds(calls, count, each), DIRECT),
            "search": latency_figures(_warm_rounds(searches, count, each), IN_PROCESS),
        }
    return {"upstreams": len(tools.servers), "rounds": count, "each": each, **found}


def _warm_rounds(actions: Mapping[str, Action], count: int, each: int) -> dict[str, list[list[float]]]:
    """Time some rounds after one that does not count."""
    return {name: times[1:] for name, times in rounds(actions, count + 1, each).items()}


def _call(gateway: Contestant, connection: Connection, name: str, arguments: Mapping[str, Any]) -> Action:
    def call(_: int) -> None:
        result = gateway.call(connection, name, arguments)
        if result.get("isError"):
            raise ValueError(f"{gateway.name} could not call {name}: {result}")

    return call


def _search(gateway: Contestant, connection: Connection, texts: Sequence[str]) -> Action:
    return lambda number: gateway.search(connection, _phrase(texts, number))


def _phrase(texts: Sequence[str], number: int) -> str:
    """Return the n-th phrase; no two are alike, so that no answer comes from a cache."""
    return f"{texts[number % len(texts)]} {number}"


def in_process(tools: ToolSet) -> Callable[[str], MatchResult]:
    """Match with the same labels and settings as the gateway.

    Raises:
        ValueError: the set has no tools, or the model cannot be loaded.
    """
    lists = {
        server: [types.Tool.model_validate(tool) for tool in listed["tools"]]
        for server, listed in tools.servers.items()
    }
    index = ToolIndex()
    index.replace(gateway_tools(lists))
    index.settle()
    index.close()
    matcher = index.matcher
    if matcher is None or matcher.is_degraded:
        raise ValueError("the tools could not be embedded; the log says why")
    return matcher.match
