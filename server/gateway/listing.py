"""Lists the tools of upstreams once, for `preflight` and `enrich`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

import anyio
import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.tool_catalog.cached_lists import CachedLists, redacted_tool
from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools
from server.gateway.tool_catalog.names import told_apart
from server.gateway.upstreams.pool import UpstreamPool
from server.gateway.upstreams.upstream import Upstream, left_out_text


class KnownTools:
    """The tools of each upstream without the configuration's secrets, of which a server may repeat some."""

    def __init__(self, upstreams: Mapping[str, Upstream], lists: CachedLists) -> None:
        """Start with the tools that were kept.

        Args:
            upstreams: by name.
            lists: remembers tools for the next start.
        """
        self._upstreams, self._lists = upstreams, lists
        self._given: dict[str, tuple[types.Tool, ...]] = {}
        self._known = {name: lists.find(upstream.config) for name, upstream in upstreams.items()}

    def take(self) -> dict[str, list[types.Tool]]:
        """Return the tools that the configuration does not leave out, now, by server.

        An unknown server has none.
        """
        for name, upstream in self._upstreams.items():
            given = upstream.tools
            if upstream.state.kind == "ready" and self._given.get(name) != given:
                self._take(name, upstream.config, given)
        return {name: chosen(self._upstreams[name].config, tools or ()) for name, tools in self._known.items()}

    def is_known(self, name: str) -> bool:
        """Return whether the tools of a server are known, also from an earlier start."""
        return self._known[name] is not None

    def is_told(self, name: str) -> bool:
        """Return whether a server itself has told its tools since the start."""
        return name in self._given

    def _take(self, name: str, config: UpstreamConfig, given: tuple[types.Tool, ...]) -> None:
        self._given[name] = given
        plain = tuple(redacted_tool(tool, config.secrets) for tool in given)
        if plain != self._known[name]:
            self._known[name] = plain
            self._lists.keep(config, given)


def chosen(config: UpstreamConfig, tools: Sequence[types.Tool]) -> list[types.Tool]:
    """Return the tools that the configuration does not leave out."""
    return [
        tool
        for tool in tools
        if (not config.include or any(fnmatchcase(tool.name, pattern) for pattern in config.include))
        and not any(fnmatchcase(tool.name, pattern) for pattern in config.exclude)
    ]


SECONDS: Final = 60.0
"""Time for all upstreams together to connect."""


@dataclass(frozen=True)
class Listed:
    """The answers of the upstreams.

    Attributes:
        tools: the tools of each server that the gateway would offer; None if the server did not answer.
        missing: why servers did not answer, and which tools of others are malformed, in three parts each.
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
    """Connect to all upstreams at the same time, list their tools, and end them.

    The next start of a gateway knows these tools.
    """
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
        missing += tuple(
            left_out_text(name, upstream.left_out) for name, upstream in pool.upstreams.items() if upstream.left_out
        )
        lists = CachedLists()
        for upstream in pool.upstreams.values():
            if upstream.state.kind == "ready":
                lists.keep(upstream.config, upstream.tools)
        group.cancel_scope.cancel()
    return Listed(tools, missing)


def _offered(upstream: Upstream) -> list[types.Tool]:
    """Return the tools that the gateway would offer, without the configuration's secrets."""
    config = upstream.config
    return [redacted_tool(tool, config.secrets) for tool in chosen(config, upstream.tools)]
