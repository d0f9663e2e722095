"""A call of an upstream's tool for a request of a caller."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types

from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.errors import failed_call
from server.gateway.forwarding.held_calls import HeldCalls
from server.gateway.forwarding.links import Links
from server.gateway.forwarding.source import Source
from server.gateway.upstreams.forwarding import Forwarding


class ToolCalls:
    """Calls tools of upstreams."""

    def __init__(self, source: Source, held: HeldCalls) -> None:
        """Call tools of `source`; `held` runs the calls."""
        self._source, self._held = source, held

    async def call(
        self, context: Context, server: str, own_name: str, arguments: Mapping[str, Any]
    ) -> types.CallToolResult | types.InputRequiredResult:
        """The result of a tool, with its links readable through the gateway, or the upstream's questions.

        Args:
            context: the caller's request.
            server: a name among the source's offers; the caller may use the tool.
            own_name: what the upstream calls the tool.
            arguments: of the call.

        Raises:
            MCPError: the host must act, or the gateway itself is at fault.
        """
        offer = self._source.offers()[server]

        async def start(forward: Forwarding) -> types.CallToolResult:
            return await (await self._source.connection(context, server)).call(own_name, arguments, forward)

        try:
            result = await self._held.call(context, offer.config, f"tool {own_name}", arguments, start)
        except Exception as error:
            return failed_call(f"tool {own_name} of server {server}", error)
        if not isinstance(result, types.CallToolResult):
            asked: types.InputRequiredResult = result
            return asked
        return Links(server, {resource.uri for resource in offer.resources}).in_tool_result(result)
