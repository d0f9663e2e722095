"""Lists the tools of upstreams once, for `preflight` and `enrich`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.known_tools import chosen
from server.gateway.own_name import told_apart
from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools
from server.gateway.tool_catalog.kept.cached_lists import redacted_tool
from server.gateway.upstreams.pool import UpstreamPool
from server.gateway.upstreams.upstream import Upstream

SECONDS: Final = 60.0
"""Time for all upstreams together to connect."""


@dataclass(frozen=True)
class Listed:
    """What the upstreams answered.

    Attributes:
        tools: the tools of each server that the gateway would offer; None if the server did not answer.
        missing: why servers did not answer, in three parts each.
    """

    tools: Mapping[str, Sequence[types.Tool] | None]
    missing: tuple[str, ...] = ()

    @property
    def gateway_tools(self) -> tuple[GatewayTool, ...]:
        """The tools as the gateway names them."""
        return gateway_tools({server: tools or () for server, tools in self.tools.items()})

    def to_json(self) -> dict[str, Any]:
        """`{server: {"tools": [...]}}` of the servers that answered."""
        return {
            server: {"tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]}
            for server, tools in self.tools.items()
            if tools is not None
        }


async def listed_tools(configs: Sequence[UpstreamConfig]) -> Listed:
    """Connect to all upstreams at the same time, list their tools, and end them."""
    pool = UpstreamPool(told_apart(configs).values())
    async with anyio.create_task_group() as group:
        group.start_soon(pool.run)
        with anyio.move_on_after(SECONDS):
            for upstream in pool.upstreams.values():
                await upstream.settled()
        tools = {
            name: _offered(upstream) if upstream.state.kind == "ready" else None
            for name, upstream in pool.upstreams.items()
        }
        missing = tuple(
            f"server {name!r} is {upstream.state.kind} ({upstream.state.why or 'no answer yet'}); its tools are "
            "missing; correct its configuration, or try again"
            for name, upstream in pool.upstreams.items()
            if tools[name] is None
        )
        group.cancel_scope.cancel()
    return Listed(tools, missing)


def _offered(upstream: Upstream) -> list[types.Tool]:
    """The tools that the gateway would offer, without the configuration's secrets."""
    config = upstream.config
    return [redacted_tool(tool, config.secrets) for tool in chosen(config, upstream.tools)]
