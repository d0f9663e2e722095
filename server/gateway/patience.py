"""When servers are connected, and which requests wait until they are.

They are connected as soon as the first client has its list of tools, which needs none of them: starting them would
slow that answer down.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware

from server.gateway.callers import CallersUpstreams
from server.gateway.forwarding.addresses import located
from server.gateway.forwarding.caller import Context
from server.gateway.upstreams.states import Limits
from server.gateway.upstreams.upstream import Upstream
from server.protocol.tool_server import LOAD_DELAY
from server.tools.meta.call_tool import TOOL as CALL_TOOL
from server.toolset.source import Offer

_NAMED: Final = ("tools/call", "prompts/get")
_EARLY: Final = ("initialize", "server/discover", "ping", "tools/list")
"""Requests that hosts make when they start a server."""

_LISTS: Final = ("prompts/list", "resources/list", "resources/templates/list")


class Patience(ServerMiddleware[Any]):
    """Holds a request until the servers that it needs have connected, or failed to, for the first time.

    A client that starts the gateway for one call would otherwise never get an answer, and one that lists prompts at its
    start would never see any. Nothing waits for a server that the caller may not use.
    """

    def __init__(
        self,
        callers: CallersUpstreams,
        offer: Callable[[], Offer],
        families: Callable[[], Mapping[str, str]],
        taken_up: Callable[[], Awaitable[None]],
        limits: Limits,
    ) -> None:
        """Hold requests of `callers`.

        Args:
            callers: the upstreams, and who may use them.
            offer: the tools that are known.
            families: the family of each upstream.
            taken_up: waits until the tools of servers that have connected are offered.
            limits: how long is waited.
        """
        self._callers, self._offer, self._families, self._taken_up = callers, offer, families, taken_up
        self._limits = limits
        self._began = float("inf")
        self._wanted = asyncio.Event()

    async def begin(self, delay: float) -> None:
        """Wait until servers are to be connected: soon after tools are listed, at another request, or after a delay.

        Args:
            delay: maximum seconds.
        """
        self._began = anyio.current_time()
        with anyio.move_on_after(delay):
            await self._wanted.wait()

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Pass a request on when it need not wait any more."""
        if ctx.method == "tools/list":
            asyncio.get_running_loop().call_later(LOAD_DELAY, self._wanted.set)
        elif ctx.method not in _EARLY and ctx.request_id is not None:
            self._wanted.set()
        waiting = [self._callers.offers()[name] for name in self._needed(ctx) if self._connects(ctx, name)]
        if waiting:
            patience = self._limits.patience_for_lists if ctx.method in _LISTS else self._limits.patience
            with anyio.CancelScope(deadline=self._began + patience):
                await _all_settled(waiting)
                await self._taken_up()
        return await call_next(ctx)

    def _connects(self, ctx: Context, name: str) -> bool:
        """Return whether a server is offered as one that connects, and the caller may use it."""
        outage = self._offer().outages.get(self._families()[name])
        return outage is not None and outage.kind == "connecting" and self._callers.permits_server(ctx, name)

    def _needed(self, ctx: Context) -> Collection[str]:
        """Return the servers that a request needs, by name."""
        params, servers = ctx.params or {}, self._callers.offers()
        if ctx.method in _LISTS:
            return servers
        if ctx.method == "resources/read":
            place = located(str(params.get("uri", "")), servers)
            return [place[0]] if place else ()
        return self._of(_name(params)) if ctx.method in _NAMED else ()

    def _of(self, name: str) -> Collection[str]:
        """Return the servers whose tool a name may be: all, if nothing is known of it."""
        offer = self._offer()
        exact = offer.by_name.get(name)
        known = {tool.family for tool in ([exact] if exact else offer.by_own_name.get(name, ()))}
        family = offer.family_of(name)
        wanted = known or ({family} if family else set(self._families().values()))
        return [server for server, family in self._families().items() if family in wanted]


def _name(params: Mapping[str, Any]) -> str:
    """Return the name of what is called, through `call_tool` or without it."""
    if params.get("name") == CALL_TOOL.name and isinstance(params.get("arguments"), Mapping):
        return str(params["arguments"].get("name", ""))
    return str(params.get("name", ""))


async def _all_settled(upstreams: Collection[Upstream]) -> None:
    for upstream in upstreams:
        await upstream.settled()
