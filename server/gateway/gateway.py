"""A gateway: upstreams, their tools, which requests wait for them, and the MCP server that offers the tools."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from embeddings.ranking.decision import DEFAULT_COSTS
from server.gateway.callers import CallersUpstreams
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.forwarding import log_levels
from server.gateway.forwarding.addresses import located
from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.held_calls import HeldCalls, ToolCalls
from server.gateway.forwarding.prompts import Completions, Prompts
from server.gateway.forwarding.resources import Resources
from server.gateway.gateway_tools import GatewayTools
from server.gateway.search_tools import SEARCH_TOOLS
from server.gateway.skills.find_skill import FIND_SKILL, SkillCatalog, SkillSearch
from server.gateway.skills.folders import SkillFolders
from server.gateway.skills.requests import SkillRequests
from server.gateway.skills.skill import EXTENSION, GetSkillParams
from server.gateway.tool_catalog.cached_lists import CachedLists
from server.gateway.tool_catalog.examples import known_examples, read_examples
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.names import told_apart
from server.gateway.tool_catalog.pins import Pins
from server.gateway.tool_catalog.tool_index import OFFER, ToolIndex, tools_builder
from server.gateway.upstreams.pool import UpstreamPool
from server.gateway.upstreams.states import DEFAULT_LIMITS, Limits
from server.gateway.upstreams.upstream import Upstream
from server.matching.encoders import EncoderLoader, load_encoder
from server.protocol.stdio import run_stdio
from server.protocol.tool_server import LOAD_DELAY, Introduction, Kind, ToolServer
from server.stopping import INTERRUPTED, leave
from server.tools.meta.call_tool import TOOL as CALL_TOOL
from server.toolset.start import Start

_NAMED: Final = ("tools/call", "prompts/get")
_ADDRESSED: Final = ("resources/read", "skills/get")
_EARLY: Final = ("initialize", "server/discover", "ping", "tools/list")
"""Requests that hosts make when they start a server."""


class Patience(ServerMiddleware[Any]):
    """Holds a request until the servers that it needs have connected, or failed to, for the first time.

    They are connected as soon as the first client has its list of tools, which needs none of them: starting them would
    slow that answer down. A client that starts the gateway for one call would otherwise never get an answer. A search
    waits shortly for servers whose tools are not known, and that of a skill, or the list of skills, for every server,
    since skills are not known from the last start. Other lists wait for nothing: a client is told when they change.
    Nothing waits for a server that the caller may not use.
    """

    def __init__(self, callers: CallersUpstreams, tools: GatewayTools, limits: Limits) -> None:
        """Hold requests of `callers`.

        Args:
            callers: the upstreams, and who may use them.
            tools: those that are known.
            limits: how long is waited.
        """
        self._callers, self._tools, self._limits = callers, tools, limits
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
        if any(outage.kind == "connecting" for outage in self._tools.offer().outages.values()):
            await self._wait(ctx)
        return await call_next(ctx)

    async def _wait(self, ctx: Context) -> None:
        waiting = [self._callers.offers()[name] for name in self._needed(ctx) if self._connects(ctx, name)]
        if waiting:
            deadline = self._began + self._limits.patience
            if _is_search(ctx) or _is_of_skills(ctx):
                deadline = anyio.current_time() + self._limits.patience_of_search
            with anyio.CancelScope(deadline=deadline):
                await _all_settled(waiting)
                await self._tools.taken_up()
                if _is_search(ctx):
                    await self._tools.indexed(deadline - anyio.current_time())

    def _connects(self, ctx: Context, name: str) -> bool:
        """Return whether a server is offered as one that connects, and the caller may use it."""
        outage = self._tools.offer().outages.get(self._tools.families[name])
        return outage is not None and outage.kind == "connecting" and self._callers.permits_server(ctx, name)

    def _needed(self, ctx: Context) -> Collection[str]:
        """Return the servers that a request needs, by name."""
        params, servers = ctx.params or {}, self._callers.offers()
        if _is_search(ctx):
            return self._awaited(str((params.get("arguments") or {}).get("need", "")))
        if _is_of_skills(ctx):
            return servers
        if ctx.method in _ADDRESSED:
            place = located(str(params.get("uri", "")), servers)
            return [place[0]] if place else ()
        return self._of(_name(params)) if ctx.method in _NAMED else ()

    def _awaited(self, need: str) -> Collection[str]:
        """Return the servers that may yet tell the tool for a need; none if it names one that is known."""
        outages = self._tools.offer().outages
        awaited = [
            server
            for server, family in self._tools.families.items()
            if family in outages and outages[family].tools == "awaited"
        ]
        return awaited if awaited and not self._tools.is_named(need) else []

    def _of(self, name: str) -> Collection[str]:
        """Return the servers whose tool a name may be: all, if nothing is known of it."""
        offer = self._tools.offer()
        exact = offer.by_name.get(name)
        known = {tool.family for tool in ([exact] if exact else offer.by_own_name.get(name, ()))}
        family = offer.family_of(name)
        wanted = known or ({family} if family else set(self._tools.families.values()))
        return [server for server, family in self._tools.families.items() if family in wanted]


def _calls(ctx: Context, tool: str) -> bool:
    return ctx.method == "tools/call" and (ctx.params or {}).get("name") == tool


def _is_search(ctx: Context) -> bool:
    return _calls(ctx, SEARCH_TOOLS)


def _is_of_skills(ctx: Context) -> bool:
    return ctx.method == "skills/list" or _calls(ctx, FIND_SKILL)


def _name(params: Mapping[str, Any]) -> str:
    """Return the name of what is called, through `call_tool` or without it."""
    if params.get("name") == CALL_TOOL.name and isinstance(params.get("arguments"), Mapping):
        return str(params["arguments"].get("name", ""))
    return str(params.get("name", ""))


async def _all_settled(upstreams: Collection[Upstream]) -> None:
    for upstream in upstreams:
        await upstream.settled()


LONGEST_DELAY: Final = 0.5
"""Seconds after which upstreams are connected even if the client has asked for nothing."""

INSTRUCTIONS: Final = (
    "Tools of several MCP servers behind a search. Before you say that you cannot do something, call search_tools with "
    "the need, then call_tool with the name and the arguments of the tool that it finds. no_match means that no server "
    "here serves the need. "
)


Lists = Callable[[Context, types.PaginatedRequestParams | None], Awaitable[Any]]
"""Answers a request for a page of a list."""


@dataclass(frozen=True)
class GatewayOptions:
    """How a gateway is run.

    Attributes:
        start: which tools are advertised, and to whom.
        several_callers: over HTTP: each caller has connections of their own.
        shared: names of upstreams whose one connection all callers share.
        resources: whether prompts, resources and skills of upstreams are offered.
        skills: folders below which there are skills; they need `resources`.
        pin_descriptions: hold tools back whose description changed since it was first seen.
        examples: files of examples for tools.
        known_tools: give tools that are recognised the examples that ship with the program.
        sessions: connections of the legacy protocol outlive a request.
        at_once: maximum searches at the same time; None for one per core.
        store: URI of the store, or name of the vector file, in which tools are kept; None for memory.
        limits: of the upstreams.
    """

    start: Start
    several_callers: bool = False
    shared: frozenset[str] = frozenset()
    resources: bool = True
    skills: Sequence[Path] = ()
    pin_descriptions: bool = False
    examples: Sequence[Path] = ()
    known_tools: bool = True
    sessions: bool = True
    at_once: int | None = None
    store: str | None = None
    limits: Limits = DEFAULT_LIMITS


class Gateway:
    """The upstreams of one configuration, served as one MCP server.

    Attributes:
        server: to be served over any transport, while `running` is open.
    """

    def __init__(
        self,
        configs: Sequence[UpstreamConfig],
        options: GatewayOptions,
        *,
        loader: EncoderLoader = load_encoder,
        pins: Pins | None = None,
        lists: CachedLists | None = None,
    ) -> None:
        """Make a gateway over upstreams with distinct names.

        Args:
            configs: how the upstreams are reached.
            options: how it is run.
            loader: loads the encoder.
            pins: the fingerprints of tools (default: those in the user's data folder).
            lists: the tools that upstreams had (default: those in the user's cache folder).
        """
        self._options = options
        apart = told_apart(configs)
        self._pool = UpstreamPool(
            apart.values(),
            shared={config.name for name, config in apart.items() if name in options.shared},
            limits=options.limits,
            on_change=self._changed,
        )
        self._callers = CallersUpstreams(self._pool, several_callers=options.several_callers)
        self._held = HeldCalls(self._callers.caller)
        self._calls = ToolCalls(self._callers, self._held)
        restricted = options.start.allowlist is not None
        # A hidden tool must not show in what is offered, so callers who are not told of all get careful answers.
        costs = DEFAULT_COSTS if restricted else OFFER
        self._index = ToolIndex(
            loader,
            lambda tools: {
                **(known_examples(tools) if options.known_tools else {}),
                **read_examples(options.examples, tools),
            },
            costs,
            builder=tools_builder(options.store, apart, loader, costs),
            waits=True,
        )
        folders = SkillFolders(options.skills)
        self._skills = SkillCatalog(folders, loader, of_upstreams=options.resources)
        self._resources = Resources(self._callers, self._held, folders)
        self.tools = GatewayTools(
            self._pool.upstreams,
            self._index,
            self._handler,
            pins or Pins(hold=options.pin_descriptions),
            lists or CachedLists(),
            SkillSearch(self._skills, self._resources.read),
            told=not restricted,
            given=frozenset() if options.several_callers else frozenset({"*"}),
        )
        about = Introduction(
            "Gateway", "The tools of several MCP servers behind a search", INSTRUCTIONS + self.tools.summary()
        )
        self.server = ToolServer(
            self.tools,
            about,
            options.start,
            one_client=not options.several_callers,
            sessions=options.sessions,
            at_once=options.at_once,
        )
        self._callers.permit(self.server.toolset.session, lambda: self.tools.families)
        self._patience = Patience(self._callers, self.tools, options.limits)
        self.server.middleware.append(self._patience)
        self.server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, log_levels.set_level)
        if options.resources:
            self._offer_resources()
            self._offer_skills(SkillRequests(folders, self._callers))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the upstreams connected while the context is open; it does not wait for them. Ends their processes."""
        try:
            async with self._held, anyio.create_task_group() as group:
                group.start_soon(self._connect)
                if self._options.pin_descriptions:
                    group.start_soon(self._look_for_accepted)
                yield
                group.cancel_scope.cancel()
        finally:
            self._index.close()
            self._skills.index.close()

    async def _connect(self) -> None:
        """Run the upstreams, over standard streams once the client has its list of tools."""
        await self._patience.begin(0 if self._options.several_callers else LONGEST_DELAY)
        self._index.begin()
        self._skills.index.begin()
        async with anyio.create_task_group() as group:
            group.start_soon(self._pool.run)
            await anyio.sleep(self._options.limits.starting)
            self.tools.stop_awaiting()

    @property
    def status(self) -> dict[str, int]:
        """Numbers for health checks: servers, those that are ready, and tools."""
        upstreams = self._pool.upstreams.values()
        return {
            "servers": len(upstreams),
            "ready": sum(upstream.state.kind == "ready" for upstream in upstreams),
            "tools": len(self._index.tools),
        }

    @property
    def degraded(self) -> bool:
        """Whether tools are found by names and words alone for now."""
        return bool(self._index.tools) and self._index.degraded

    @property
    def trouble(self) -> dict[str, str]:
        """Trouble with the store, for health checks; empty if there is none, or no store."""
        trouble = self._index.trouble
        return {"store": trouble} if trouble else {}

    async def _look_for_accepted(self) -> None:
        while True:
            await anyio.sleep(self._options.limits.look)
            self.tools.look_for_accepted()

    def _changed(self, upstream: Upstream) -> None:
        self.tools.changed(upstream)

    def _handler(self, tool: GatewayTool) -> Callable[[Any, dict[str, Any]], Awaitable[Any]]:
        async def call(context: Any, arguments: dict[str, Any]) -> Any:
            return await self._calls.call(context, tool.server, tool.own_name, arguments)

        return call

    def _offer_resources(self) -> None:
        """Let callers list, read and complete the prompts and resources of upstreams that they may use."""
        resources, prompts = self._resources, Prompts(self._callers, self._held)
        completions = Completions(self._callers, prompts)
        add = self.server.add_request_handler
        add("resources/list", types.PaginatedRequestParams, self._seen("resources", resources.list_resources))
        add("resources/templates/list", types.PaginatedRequestParams, self._seen("resources", resources.list_templates))
        add("resources/read", types.ReadResourceRequestParams, resources.read)
        add("prompts/list", types.PaginatedRequestParams, self._seen("prompts", prompts.list_prompts))
        add("prompts/get", types.GetPromptRequestParams, prompts.get)
        add("completion/complete", types.CompleteRequestParams, completions.complete)

    def _offer_skills(self, skills: SkillRequests) -> None:
        self.server.extensions[EXTENSION] = {}
        self.server.add_request_handler("skills/list", types.PaginatedRequestParams, skills.list_skills)
        self.server.add_request_handler("skills/get", GetSkillParams, skills.get_skill)

    def _seen(self, kind: Kind, handler: Lists) -> Lists:
        """Let clients that list prompts or resources hear of changes of what they may use."""
        changes = self.server.changes
        if changes is None:
            return handler
        changes.watch(kind, lambda view: self._callers.listed(view, kind))

        async def listed(context: Context, params: types.PaginatedRequestParams | None) -> Any:
            changes.saw(context, kind)
            return await handler(context, params)

        return listed


_STATUSES: Final = {signal.SIGTERM: 0, signal.SIGINT: INTERRUPTED}


def serve_over_stdio(gateway: Gateway) -> None:
    """Serve until the client closes the stream, or a signal comes; then end the upstreams' processes, and this one."""
    status = 0

    @asynccontextmanager
    async def around() -> AsyncIterator[None]:
        async with gateway.running(), anyio.create_task_group() as group:

            async def stop_on_signal() -> None:
                nonlocal status
                with anyio.open_signal_receiver(*_STATUSES) as signals:
                    async for number in signals:
                        status = _STATUSES[number]
                        serving.cancel()

            group.start_soon(stop_on_signal)
            with anyio.CancelScope() as serving:
                yield
            group.cancel_scope.cancel()

    run_stdio(gateway.server, around)
    # A thread may still wait for the client's next line, or embed; neither is to be waited for.
    leave(status)


def health_routes(gateway: Gateway) -> list[Route]:
    """Return the health checks; the second says how many servers and tools there are, and what is the matter."""
    # Imported here because a gateway over standard streams does without it.
    from server.http.app import health_checks

    async def readyz(_: Request) -> JSONResponse:
        # In a thread, because a store may be asked whether it is there.
        degraded = await anyio.to_thread.run_sync(lambda: gateway.degraded)
        status = {"status": "degraded", **gateway.trouble} if degraded else {"status": "ok"}
        return JSONResponse({**status, **gateway.status}, status_code=503 if degraded else 200)

    return health_checks(readyz)
