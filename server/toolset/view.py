"""One caller's view of the tools: which they may use, which are loaded, how to reach the rest."""

from collections.abc import Mapping
from functools import cached_property

from embeddings.ranking.match_result import MatchResult
from server.errors import CallerError, unknown
from server.tools.definition import Tool
from server.tools.families import CORE, Families
from server.tools.meta.session import FamilyMatch, RecoveryPath
from server.tools.meta.surface import Naming, Profile, Surface
from server.tools.remote_tool import Outage
from server.toolset.permissions import Permissions
from server.toolset.profiles import profile_of
from server.toolset.source import Offer
from server.toolset.start import Start


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
            self._known = count, frozenset({*self.profile.families, self.families.always_on})
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

    def families_for(self, intent: str) -> list[FamilyMatch]:
        """Permitted families with the probability that each serves an intent, best first.

        Raises:
            CallerError: the intent is blank or too long.
        """
        if self.offer.service is not None:
            self.offer.service.check_length(intent)
        return self.offer.finder.families(intent, self._permissions)

    def tools_for(self, need: str) -> MatchResult:
        """Find the permitted tools that serve a need.

        Raises:
            CallerError: the need is blank or too long.
        """
        return self.offer.finder.find(need, self._permissions)
