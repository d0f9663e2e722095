"""One caller's view and use of the tools: which they may use, which are loaded, and calling them by name."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from embeddings.ranking.match_result import MatchResult
from server.errors import CallerError, UnavailableToolError, brief, unknown
from server.tools.definition import ServiceTool, Tool, checked
from server.tools.families import CORE, FULL, Families
from server.tools.meta.session import Outcome, RecoveryPath, SessionTool
from server.tools.meta.surface import Naming, Profile, Surface
from server.tools.remote_tool import Outage, RemoteTool
from server.toolset.permissions import Permissions
from server.toolset.source import Offer
from server.toolset.start import Start, profile_of


class CallerView:
    """The view of one caller in one request."""

    def __init__(
        self, offer: Offer, start: Start, identity: str | None = None, loaded: list[str] | None = None
    ) -> None:
        """Make the view for one request.

        Args:
            offer: every tool, and what answers.
            start: how the server was started.
            identity: name of the token or of the client; None when unknown.
            loaded: families that this connection has loaded; `load` adds to the list. None if connections remember
                nothing between requests.
        """
        self.offer = offer
        self.start = start
        rule = start.allowlist.permitted(identity, offer.families.given) if start.allowlist else None
        self._permissions = Permissions(offer, rule, start.read_only)
        self._loaded = loaded
        self._known: tuple[int, frozenset[str]] | None = None

    @property
    def families(self) -> Families:
        """Every family of the server."""
        return self.offer.families

    @property
    def naming(self) -> Naming:
        """How people speak of the tools."""
        return self.offer.naming

    @property
    def permitted(self) -> tuple[str, ...]:
        """Families that the caller may use, in order."""
        return self._permissions.families

    @cached_property
    def outages(self) -> Mapping[str, Outage]:
        """Families, and single tools, of those permitted, that cannot be called now, and why."""
        known = {*self.permitted, *(tool.name for tool in self.tools)} if self.offer.outages else ()
        return {name: outage for name, outage in self.offer.outages.items() if name in known}

    @property
    def restricted(self) -> bool:
        """Whether an allowlist applies."""
        return self.start.allowlist is not None

    @property
    def may_read_answers(self) -> bool:
        """Whether the caller may read resources, which hold the answers of core tools."""
        return CORE in self.permitted

    @property
    def remembers(self) -> bool:
        """Whether a family that is loaded stays loaded for this caller's session."""
        return self._loaded is not None

    @property
    def profile(self) -> Profile:
        """The families that are loaded now, including those that the session loaded."""
        always = self.families.loaded
        return profile_of((*always, *self.start.profile.families, *(self._loaded or ())), self.families)

    @property
    def tools(self) -> list[Tool]:
        """Every tool that the caller may use, loaded or not, in order."""
        return list(self._permissions.tools)

    def tool(self, name: str) -> Tool | None:
        """Return a tool that the caller may use, by its full name; None if there is none."""
        tool = self.offer.by_name.get(name)
        return tool if tool and self._permissions.permits(tool) else None

    def permits_name(self, family: str, name: str) -> bool:
        """Return whether the caller may use something of a family, by its name.

        For a tool, ask whether it is in `tools`.
        """
        return self._permissions.permits_name(family, name)

    @property
    def surface(self) -> Surface:
        """The names of these tools by family, and which are always on."""
        families: dict[str, list[str]] = {name: [] for name in self.permitted}
        for tool in self._permissions.tools:
            families[tool.family].append(tool.name)
        named = {name: tuple(tools) for name, tools in families.items()}
        pinned = frozenset(tool.name for tool in self._permissions.tools if self.start.pins(tool.name))
        return Surface(named, named.get(self.families.always_on, ()), pinned)

    @property
    def recovery(self) -> tuple[RecoveryPath, ...]:
        """The ways to use an unloaded tool that work on this server."""
        return self.offer.recovery

    @property
    def matches_degraded(self) -> bool:
        """Whether intents are matched without the model."""
        return self.offer.finder.degraded

    def is_loaded(self, tool: Tool) -> bool:
        """Return whether the tool is advertised to the caller and can be called by its name."""
        return self._permissions.permits(tool) and (tool.family in self._advertised or self.start.pins(tool.name))

    @property
    def _advertised(self) -> frozenset[str]:
        """Families that are advertised now."""
        count = len(self._loaded or ())
        if self._known is None or self._known[0] != count:
            families = self.families
            always = {families.always_on, families.base, *families.loaded}
            self._known = count, frozenset({*always, *self.start.profile.families, *(self._loaded or ())})
        return self._known[1]

    def family(self, name: str) -> str:
        """Return a family that the caller may use, by its name.

        Raises:
            CallerError: no family has this name, or the caller may not use it.
        """
        wanted = name.strip().casefold()
        named = [family for family in self.families.holdings if family.casefold() == wanted]
        found = next((family for family in named if family in self.permitted), None)
        if found:
            return found
        if named and named[0] != self.families.always_on:
            raise CallerError(
                f"family {named[0]!r} is not permitted for this caller; permitted: {', '.join(self.permitted)}; "
                "use one of these, or ask the server's operator to change the allowlist"
            )
        raise unknown("family", name, self.permitted or (self.families.base,), "Call again with a known family.")

    def tools_for(self, need: str) -> MatchResult:
        """Find the permitted tools that serve a need.

        Raises:
            CallerError: the need is blank or too long.
        """
        if self.offer.service is not None:
            self.offer.service.check_length(need)
        return self.offer.finder.find(need, self._permissions)


MAX_NAMED: Final = 20
"""Maximum names of tools that a message lists; of more, only the nearest."""


def find(name: str, offer: Offer, permissions: Permissions) -> Tool:
    """Return the tool of this full name, else the only one of this own name that the caller may use.

    Raises:
        UnavailableToolError: it does not exist, the caller may not use it, its server has not told its tools yet, or
            several tools have this own name.
    """
    exact = offer.by_name.get(name)
    if exact is not None:
        if permissions.permits(exact):
            return exact
        raise _not_permitted(name, exact, permissions)
    own = [tool for tool in offer.by_own_name.get(name, ()) if permissions.permits(tool)]
    if len(own) == 1:
        return own[0]
    if own:
        raise _shared(name, own)
    family = offer.family_of(name)
    if family is not None and family in offer.outages and permissions.permits_name(family, name):
        raise not_ready(name, family, offer.outages[family])
    raise _unknown(name, offer, permissions)


def not_loaded(name: str, tool: Tool, offer: Offer, *, remembers: bool) -> UnavailableToolError:
    """Return the error for a tool that cannot be called by its name.

    `remembers`: whether a loaded family stays loaded.
    """
    ways = _ways_to(tool, offer, remembers=remembers)
    return UnavailableToolError(
        "not_loaded",
        f"tool {name!r} belongs to the family {tool.family!r}, which is not loaded; {'; or '.join(ways)}",
        family=tool.family,
        recovery=ways,
    )


def _ways_to(tool: Tool, offer: Offer, *, remembers: bool) -> list[str]:
    """Return the ways to use a tool, as far as the server offers them."""
    ways = []
    if "load_family" in offer.by_name and remembers:
        ways.append(f"call load_family(family='{tool.family}')")
    if "call_tool" in offer.by_name:
        ways.append(f"call call_tool(name='{tool.name}', arguments=<object>)")
    if offer.families.at_start:
        ways.append(f"restart the server with --profile {tool.family} or --profile {FULL}")
    return ways


def not_ready(name: str, family: str, outage: Outage, *, alone: bool = False) -> UnavailableToolError:
    """Return the error for a tool whose server is not ready, or which is itself held back."""
    who = "it" if alone else f"its server {family!r}"
    return UnavailableToolError(
        "server_unavailable",
        f"tool {brief(name)} cannot be called now; {who} is {outage}; {outage.next_step}",
        server=family,
        state=outage.kind,
        since=outage.since.isoformat(timespec="seconds"),
        **({"why": outage.why} if outage.why else {}),
    )


def _not_permitted(name: str, tool: Tool, permissions: Permissions) -> UnavailableToolError:
    permitted = list(permissions.families)
    if permissions.withholds(tool):
        message = (
            f"tool {name!r} does not declare to change nothing, so this server, which was started with --read-only, "
            f"does not call it; permitted families: {', '.join(permitted)}; use a tool that only reads, or ask the "
            "server's operator to start it without --read-only"
        )
    elif tool.family in permitted:
        message = (
            f"tool {name!r} is one that this caller may not use, though others of the family {tool.family!r} are "
            "permitted; use one of those, or ask the server's operator to change the allowlist"
        )
    else:
        message = (
            f"tool {name!r} belongs to the family {tool.family!r}, which this caller may not use; permitted "
            f"families: {', '.join(permitted)}; use their tools, or ask the server's operator to change the allowlist"
        )
    return UnavailableToolError("not_permitted", message, family=tool.family, permitted_families=permitted)


def _shared(name: str, tools: Sequence[Tool]) -> UnavailableToolError:
    names = [tool.name for tool in tools]
    return UnavailableToolError(
        "unknown_tool",
        f"tool {brief(name)} could be any of several; their full names: {', '.join(names)}; call one of these",
        nearest=names,
    )


def _unknown(name: str, offer: Offer, permissions: Permissions) -> UnavailableToolError:
    names = [tool.name for tool in permissions.tools]
    near = offer.finder.nearest(name, names)
    known = ", ".join(names) if len(names) <= MAX_NAMED else f"{len(names)} tools"
    waiting = [family for family in permissions.families if family in offer.outages]
    missing = "".join(f"; the server {family!r} is {offer.outages[family]}" for family in waiting)
    return UnavailableToolError(
        "unknown_tool",
        f"unknown tool {brief(name)}; known: {known}; nearest: {', '.join(near)}{missing}; call one of these",
        nearest=near,
        **({"not_ready": waiting} if waiting else {}),
    )


class CallerSession(CallerView):
    """One caller's view and use of the tools; cheap, since one is made for each request."""

    list_changed = False
    """Whether this request has changed the caller's list of tools."""

    def load(self, family: str) -> bool:
        """Load a family if the caller has a session. Returns whether the list of tools changed."""
        if self._loaded is None or family in self._advertised:
            return False
        self._loaded.append(family)
        self.list_changed = True
        return True

    def find(self, name: str) -> Tool:
        """Return a tool that the caller may use, loaded or not.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, or its server is not ready.
        """
        return find(name, self.offer, self._permissions)

    def find_loaded(self, name: str) -> Tool:
        """Return a tool that can be called by its name now.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, it is not loaded, or its server is not
                ready.
        """
        tool = self.find(name)
        if self.is_loaded(tool):
            return tool
        raise not_loaded(name, tool, self.offer, remembers=self.remembers)

    def call(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """Call a tool that the caller may use, loaded or not, and return its result.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, or its server is not ready.
            CallerError: the arguments do not fit the tool's schema or make no sense.
        """
        return self._run(self.find(name), arguments)

    def call_loaded(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """Call a tool that is loaded, or needs no loading, and return its result.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, it is not loaded, or its server is not
                ready.
            CallerError: the arguments do not fit the tool's schema or make no sense.
        """
        return self._run(self.find_loaded(name), arguments)

    def _run(self, tool: Tool, arguments: dict[str, Any]) -> Outcome:
        outages = self.offer.outages
        outage = outages.get(tool.name) or outages.get(tool.family)
        if outage:
            raise not_ready(tool.name, tool.family, outage, alone=tool.name in outages)
        match tool:
            case RemoteTool():
                return tool.prepared(arguments)
            case ServiceTool():
                return tool.handler(self.offer.service, checked(tool, arguments))
            case SessionTool():
                return tool.handler(self, checked(tool, arguments))
        raise TypeError(f"{tool!r} is no kind of tool that a session runs")
