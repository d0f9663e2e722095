"""Tokens that a gateway takes of a model's context, beside the definitions of all tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.gateways.contestants import Offer
from benchmarks.gateways.tool_set import ToolRequest, ToolSet
from benchmarks.stdio import Connection
from benchmarks.tokens import tokens

NEEDS: Final = (1, 5, 20)
"""Needs of a conversation: each is one search and one call."""


@dataclass(frozen=True)
class Costs:
    """Tokens.

    Attributes:
        definitions: of the tools that a host lists, and the server's instructions.
        search: mean of one served request, its call and the answer.
        unserved: mean of one that no tool serves.
        call: what calling through the gateway takes beside calling the tool itself, mean over the tools.
    """

    definitions: int
    search: float = 0.0
    unserved: float = 0.0
    call: float = 0.0

    def after(self, needs: int) -> float:
        """Tokens after so many needs that tools serve."""
        return self.definitions + needs * (self.search + self.call)


def all_definitions(tools: ToolSet) -> Costs:
    """Return the definitions of all tools, each named after its server and itself, as hosts do."""
    shown = [
        _shown(tool | {"name": f"{server}__{tool['name']}"})
        for server, listed in tools.servers.items()
        for tool in listed["tools"]
    ]
    return Costs(tokens(shown))


def gateway_costs(
    connection: Connection,
    argument: str,
    names: Mapping[Any, str],
    requests: Sequence[ToolRequest],
    offers: Sequence[Offer],
) -> Costs:
    """Return the tokens of a gateway.

    Args:
        connection: to it.
        argument: of `search_tools` that takes the request.
        names: its names of the tools by server and own name.
        requests: that were searched.
        offers: what it answered.
    """
    listed = [_shown(tool) for tool in connection.request("tools/list")["tools"]]
    served: list[int] = []
    unserved: list[int] = []
    for request, offer in zip(requests, offers, strict=True):
        asked = tokens({"name": "search_tools", "arguments": {argument: request.text}})
        (served if request.tools else unserved).append(asked + tokens(offer.text))
    more = [
        tokens({"name": "call_tool", "arguments": {"name": name, "arguments": {}}})
        - tokens({"name": f"{server}__{tool}", "arguments": {}})
        for (server, tool), name in names.items()
    ]
    return Costs(tokens(listed) + tokens(connection.instructions), _mean(served), _mean(unserved), _mean(more))


def cost_figures(costs: Costs, everything: Costs) -> dict[str, float]:
    """Figures, with the tokens after some needs as shares of the definitions of all tools, which need no search."""
    shares = {f"after{needs}": costs.after(needs) / everything.definitions for needs in NEEDS}
    return {"definitions": costs.definitions, "search": costs.search, "unserved": costs.unserved, **shares}


def _shown(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return what models see of a tool."""
    return {"name": tool["name"], "description": tool.get("description", ""), "inputSchema": tool["inputSchema"]}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))
