"""The gateways that are compared: how each is started, asked, and read."""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.gateways.tool_set import Key, ToolSet
from benchmarks.stdio import ROOT, Connection
from server.gateway.tool_catalog.names import gateway_names

UPSTREAM: Final = [sys.executable, str(ROOT / "benchmarks" / "gateways" / "upstream.py")]
PARTIAL: Final = "Not every server is ready"
"""The words of our gateway's hint while servers connect."""


@dataclass(frozen=True)
class Offer:
    """A gateway's answer to a request.

    Attributes:
        tools: those that it offers, best first.
        decision: "resolved", "ambiguous" or "no_match"; empty where the gateway does not decide.
        text: as the model reads it.
        complete: whether all upstreams were searched, by meaning where the gateway does that.
    """

    tools: tuple[Key, ...]
    decision: str
    text: str
    complete: bool = True


@dataclass(frozen=True)
class Contestant:
    """A gateway under comparison.

    Attributes:
        name: in the tables.
        command: starts it; a configuration's path follows.
        argument: of `search_tools` that takes the request.
        names: the gateway's name of each tool.
    """

    name: str
    command: list[str]
    argument: str
    names: Callable[[ToolSet], Mapping[Key, str]]
    warm: bool = False

    def open(self, config: Path, user: Path) -> Connection:
        """Start it; what it keeps for its user is kept in `user`."""
        kept = {"AGENT_CAPABILITIES_CACHE": str(user / "cache"), "AGENT_CAPABILITIES_USER_DATA": str(user / "data")}
        return Connection([*self.command, str(config)], env=os.environ | kept)

    def search(self, connection: Connection, text: str) -> dict[str, Any]:
        """Search."""
        return connection.request("tools/call", name="search_tools", arguments={self.argument: text})

    def call(self, connection: Connection, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool."""
        return connection.request("tools/call", name="call_tool", arguments={"name": name, "arguments": arguments})


def contestants(fastmcp: str | None) -> list[Contestant]:
    """Ours, a plain cosine gateway and, where a Python with FastMCP is given, FastMCP."""
    ours = [sys.executable, "-m", "agent_capabilities", "gateway"]
    found = [
        Contestant("agent-capabilities", [*ours, "--config"], "need", _ours, warm=True),
        Contestant("without known tools", [*ours, "--no-known-tools", "--config"], "need", _ours),
        Contestant("cosine, top 5", [sys.executable, "-m", "benchmarks.gateways.cosine_server"], "need", _ours),
    ]
    script = str(ROOT / "benchmarks" / "gateways" / "fastmcp_server.py")
    if importlib.util.find_spec("fastmcp"):
        command = [sys.executable, script, "agent_capabilities.integrations.fastmcp:SemanticSearch"]
        found.append(Contestant("SemanticSearch in FastMCP", command, "query", _fastmcp))
    if fastmcp:
        command = [fastmcp, script, "fastmcp.server.transforms.search.bm25:BM25SearchTransform"]
        found.append(Contestant("FastMCP's BM25", command, "query", _fastmcp))
    return found


def read_offer(result: Mapping[str, Any], names: Mapping[str, Key]) -> Offer:
    """Read the answer of a search.

    Args:
        result: of the call.
        names: each tool by the gateway's name of it.

    Raises:
        ValueError: the search failed.
    """
    text = "".join(block["text"] for block in result["content"])
    if result.get("isError"):
        raise ValueError(f"a search failed: {text}")
    content = json.loads(text) if text.strip() else []
    listed = content["tools"] if isinstance(content, dict) else content
    said = content if isinstance(content, dict) else {}
    complete = not said.get("degraded") and PARTIAL not in said.get("hint", "")
    return Offer(tuple(names[tool["name"]] for tool in listed), said.get("decision", ""), text, complete)


def _ours(tools: ToolSet) -> Mapping[Key, str]:
    return gateway_names(
        {server: [tool["name"] for tool in listed["tools"]] for server, listed in tools.servers.items()}
    )


def _fastmcp(tools: ToolSet) -> Mapping[Key, str]:
    return {(server, tool): f"{server}_{tool}" for server, tool in tools.keys}
