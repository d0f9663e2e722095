"""The source of a gateway's tools: what its upstreams offer now, and notice of changes."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

import anyio
import mcp_types as types

from server.gateway.listing import KnownTools
from server.gateway.search_tools import GatewayFinder, search_tool
from server.gateway.skills.find_skill import SkillSearch, find_skill_tool
from server.gateway.tool_catalog.cached_lists import CachedLists
from server.gateway.tool_catalog.gateway_tool import GatewayTool, gateway_tools
from server.gateway.tool_catalog.guards import ANY_ARGUMENTS
from server.gateway.tool_catalog.names import OWN, server_prefixes
from server.gateway.tool_catalog.pins import Pins
from server.gateway.tool_catalog.summary import summary
from server.gateway.tool_catalog.tool_index import ToolIndex
from server.gateway.upstreams.states import UpstreamState, now
from server.gateway.upstreams.upstream import Upstream
from server.tools.definition import Tool
from server.tools.families import Families
from server.tools.meta import call_tool, capabilities
from server.tools.meta.surface import Naming
from server.tools.remote_tool import Outage, RemoteTool
from server.toolset.source import Offer

HELD: Final = "held"

_NEXT: Final = {
    "connecting": "call again in a few seconds",
    "down": "use another tool, or tell the user; the gateway tries the server again by itself",
    "unauthorized": "tell the user to sign in to the server, or to correct its credentials",
}


@dataclass(frozen=True)
class Held:
    """A tool that is held back.

    Attributes:
        since: when that began.
        changed: whether it is known to have changed; otherwise what it says is not pinned.
    """

    since: datetime
    changed: bool


def outages(
    states: Mapping[str, UpstreamState], held: Mapping[str, Held], unknown: Mapping[str, Literal["awaited", "unknown"]]
) -> dict[str, Outage]:
    """Return the outages of families and of tools that are held back.

    Args:
        states: of the upstreams, by family.
        held: the tools that are held back, by full name.
        unknown: the families whose tools are not known, and whether they are awaited.
    """
    found = {
        family: Outage(state.kind, state.since, state.why, _NEXT[state.kind], unknown.get(family, "known"))
        for family, state in states.items()
        if state.kind != "ready"
    }
    return found | {name: _outage(name, each) for name, each in held.items()}


def _outage(name: str, held: Held) -> Outage:
    if not held.changed:
        step = "ask the user to read the gateway's log, which says why and what to do"
        return Outage(HELD, held.since, "its description is not pinned", step)
    step = f"ask the user to look at it and to run: agent-capabilities gateway accept {name}"
    return Outage(HELD, held.since, "its description changed since it was first seen", step)


def shown(tool: GatewayTool, held: Held | None) -> types.Tool:
    """Return the definition that callers get, under the tool's own name.

    A definition that is held back shows none of its new texts.
    """
    if held is None:
        return tool.tool.model_copy(update={"name": tool.own_name})
    hints = tool.tool.annotations
    return types.Tool(
        name=tool.own_name,
        description=f"Held back: its description {'changed' if held.changed else 'is not pinned'}.",
        input_schema=dict(ANY_ARGUMENTS),
        annotations=hints and hints.model_copy(update={"title": None}),
    )


logger = logging.getLogger(__name__)

SUMMARY_TOKENS: Final = 140
"""Tokens of the description of what lies behind `search_tools`."""

RESTRICTED: Final = "It knows the tools of the servers that you may use; capabilities lists them."
"""Description of `search_tools` where callers may use different servers."""

OWN_HOLDS: Final = "this gateway's own tools: searching, calling, what there is"

_CALL_TOOL: Final = replace(call_tool.TOOL, family=OWN, structured=False)
"""Results of upstreams need not have structured content."""

_CAPABILITIES: Final = replace(
    capabilities.TOOL,
    family=OWN,
    description=(
        "All tools of the servers behind this gateway, by server, and which server is not ready; ready words for the "
        "user. To find the tool for a need, search_tools is shorter."
    ),
    docs=(
        "Without arguments it answers with the v3 document: `summary` for you, `to_describe_to_user` to repeat to a "
        "user who asks what is there, and every server and tool. `accept` asks for v1 or v2 instead. `family`, "
        "`include_schema` and `verbose` show the tools of one server in depth, with their full schemas."
    ),
)

Handler = Callable[[GatewayTool], Callable[[Any, dict[str, Any]], Any]]


class GatewayTools:
    """The tools of all upstreams, with those of the gateway itself."""

    changes = True

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        index: ToolIndex[GatewayTool],
        handler: Handler,
        pins: Pins,
        lists: CachedLists,
        skills: SkillSearch,
        *,
        told: bool = True,
        given: frozenset[str] = frozenset({"*"}),
    ) -> None:
        """Offer what the upstreams had when they were last connected, until they connect.

        Args:
            upstreams: by name.
            index: finds tools; gets the newest ones.
            handler: makes what calls a tool.
            pins: tells which tools changed.
            lists: remembers tools for the next start.
            skills: finds a skill.
            told: whether `search_tools` says what lies behind it.
            given: what callers without a rule may use.
        """
        self._upstreams, self._index, self._handler = upstreams, index, handler
        self._pins, self._known = pins, KnownTools(upstreams, lists)
        self._skills = skills
        self._told, self._given = told, given
        self._tools: dict[str, tuple[GatewayTool, RemoteTool]] = {}
        self._held: dict[str, Held] = {}
        self._listeners: list[Callable[[], None]] = []
        self._reported: set[str] = set()
        self._updating: asyncio.Task[None] | None = None
        self._again = False
        self._awaits = True
        self._others: list[tuple[Any, ...]] = []
        self._take()

    def offer(self) -> Offer:
        """Return the current offer."""
        return self._offer

    def prepare(self, delay: float) -> None:
        """Do nothing: the index brings itself up to date."""

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` on the event loop after each change of the tools, prompts or resources."""
        self._listeners.append(listener)

    @property
    def families(self) -> Mapping[str, str]:
        """The family, which is the first part of its tools' names, of each upstream."""
        return self._families

    def summary(self) -> str:
        """Summarize the servers behind the gateway."""
        if not self._told:
            return RESTRICTED
        by_server: dict[str, list[GatewayTool]] = {name: [] for name in self._upstreams if self._known.is_known(name)}
        for tool, _ in self._tools.values():
            by_server[tool.server].append(tool)
        known: dict[str, Sequence[GatewayTool] | None] = {name: by_server.get(name) for name in self._upstreams}
        return "Behind it: " + summary(known, SUMMARY_TOKENS)

    def changed(self, upstream: Upstream) -> None:
        """Take up a change of an upstream soon; called on the event loop."""
        del upstream
        self._update_soon()

    def stop_awaiting(self) -> None:
        """Count servers that are still starting as those whose tools are unknown; called on the event loop."""
        self._awaits = False
        self._update_soon()

    def look_for_accepted(self) -> None:
        """Take up tools soon that were held back and have been accepted since; called on the event loop."""
        if any(not self._pins.held(tool) for name, (tool, _) in self._tools.items() if name in self._held):
            self._update_soon()

    def _update_soon(self) -> None:
        self._again = True
        if self._updating is None or self._updating.done():
            self._updating = asyncio.get_running_loop().create_task(self._update())

    async def taken_up(self) -> None:
        """Wait until the changes so far are taken up."""
        if self._updating:
            await asyncio.wait([self._updating])

    async def indexed(self, seconds: float) -> None:
        """Wait until the tools that are offered are found by meaning, for some seconds at most."""
        await anyio.to_thread.run_sync(self._index.settle, max(0.0, seconds))

    def is_named(self, need: str) -> bool:
        """Return whether a need names a tool exactly."""
        return bool(self._index.exact(need))

    async def _update(self) -> None:
        while self._again:
            self._again = False
            before, others = self._offer, self._others
            try:
                await asyncio.to_thread(self._take)
            except Exception:
                logger.exception("the servers' new tools could not be taken up; those known before are offered")
                continue
            self._others = [
                (each.prompts, each.resources, each.resource_templates, each.skills)
                for each in self._upstreams.values()
            ]
            if before.tools != self._offer.tools or others != self._others:
                for listener in self._listeners:
                    listener()

    def _take(self) -> None:
        """Offer what the upstreams have now."""
        # Before the tools, so that a server that becomes ready meanwhile still counts as one that connects.
        states = {name: upstream.state for name, upstream in self._upstreams.items()}
        listed = self._known.take()
        self._families = server_prefixes(listed)
        tools = gateway_tools(listed)
        self._see(tools)
        held = {tool.name: self._hold(tool) for tool in tools if self._pins.held(tool)}
        remote = {tool.name: (tool, self._remote(tool, held.get(tool.name))) for tool in tools}
        self._held = held
        self._tools = remote
        self._index.replace([tool for tool in tools if tool.name not in held])
        self._skills.catalog.take(self._upstreams, self._families)
        self._offer = self._offered(states)

    def _see(self, tools: Sequence[GatewayTool]) -> None:
        """Report what was cleaned, what changed, and what could not be pinned, once."""
        # Of a list that was kept, schemas that are too large are missing.
        changed = self._pins.see([tool for tool in tools if self._known.is_told(tool.server)])
        reports = (report for tool in tools for report in tool.reports)
        for told in (*reports, *map(str, changed), *self._pins.troubles.values()):
            self._report(told)

    def _hold(self, tool: GatewayTool) -> Held:
        before = self._held.get(tool.name)
        return Held(before.since if before else now(), self._pins.changed(tool))

    def _report(self, told: str) -> None:
        if told not in self._reported:
            self._reported.add(told)
            logger.warning("%s", told)

    def _remote(self, tool: GatewayTool, held: Held | None) -> RemoteTool:
        known = self._tools.get(tool.name)
        if known and known[0].fingerprint == tool.fingerprint and held == self._held.get(tool.name):
            return known[1]
        return RemoteTool.of(tool.name, self._families[tool.server], shown(tool, held), self._handler(tool))

    def _offered(self, states: Mapping[str, UpstreamState]) -> Offer:
        remote = [tool for _, tool in self._tools.values()]
        own: list[Tool] = [search_tool(self.summary()), _CALL_TOOL, _CAPABILITIES]
        if self._skills.catalog.skills:
            own.insert(1, find_skill_tool(self._skills))
        families = self._families.items()
        unknown: dict[str, Literal["awaited", "unknown"]] = {
            prefix: "awaited" if self._awaits and states[name].kind == "connecting" else "unknown"
            for name, prefix in families
            if not self._known.is_known(name)
        }
        holdings = {OWN: OWN_HOLDS} | {prefix: _holding(self._upstreams[name]) for name, prefix in families}
        searched = {tool.name: tool.family for tool in remote if tool.name not in self._held}
        return Offer(
            tools=(*own, *remote),
            families=Families(holdings, always_on=OWN, base=OWN, given=self._given),
            finder=GatewayFinder(self._index, searched),
            naming=Naming("server"),
            outages=outages({prefix: states[name] for name, prefix in families}, self._held, unknown),
        )


def _holding(upstream: Upstream) -> str:
    """Describe what a family holds."""
    return f"tools of the server {upstream.config.name!r}"
