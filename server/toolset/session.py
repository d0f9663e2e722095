"""One caller's view of the tools: which they may use, which are loaded, how to reach the rest."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from server.errors import CallerError, UnavailableToolError, brief, unknown
from server.matching.phrase_service import PhraseService
from server.tools.answers import Answer
from server.tools.definition import ServiceTool, Tool, checked
from server.tools.families import CORE, FAMILIES, FULL, META
from server.tools.meta.definition import SessionTool
from server.tools.meta.recovery import LOADERS, RESTART, RecoveryPath
from server.tools.meta.session import FamilyMatch
from server.tools.meta.surface import Profile, Surface
from server.toolset.profiles import profile_of
from server.toolset.start import Start
from server.toolset.tool_matcher import ToolMatcher


class CallerSession:
    """One caller's view of the tools; cheap, since one is made for each request."""

    def __init__(
        self,
        service: PhraseService,
        start: Start,
        tools: Sequence[ServiceTool | SessionTool],
        matcher: ToolMatcher,
        identity: str | None = None,
        loaded: list[str] | None = None,
    ) -> None:
        """Make the view for one request.

        Args:
            service: answers the calls.
            start: how the server was started.
            tools: every tool that answers from the service, in order.
            matcher: finds tools by meaning.
            identity: name of the token or of the client; None when unknown.
            loaded: families that this connection has loaded; `load` adds to the list. None if connections remember
                nothing between requests.
        """
        self.service = service
        self.start = start
        self._registered = tools
        self._matcher = matcher
        self._identity = identity
        self._loaded = loaded
        self.list_changed = False
        """Whether this request has changed the caller's list of tools."""

    @cached_property
    def permitted(self) -> tuple[str, ...]:
        """Families that the caller may use, in order; with dynamic tools everyone may use `meta`."""
        allowlist = self.start.allowlist
        allowed = allowlist.permitted(self._identity, self._given) if allowlist else FAMILIES
        return tuple(family for family in FAMILIES if (self.start.dynamic if family == META else family in allowed))

    @cached_property
    def _given(self) -> frozenset[str]:
        """Families that are always loaded, and permitted to callers without a rule: `core`, or all if none is core."""
        families = {tool.family for tool in self._registered}
        return frozenset({CORE} if CORE in families else families)

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
        return profile_of((*self._given, *self.start.profile.families, *(self._loaded or ())))

    @property
    def tools(self) -> list[Tool]:
        """Every tool that the caller may use, loaded or not, in order."""
        return [tool for tool in self._registered if tool.family in self.permitted]

    @property
    def surface(self) -> Surface:
        """The names of these tools by family, and which are always on."""
        families = {name: tuple(tool.name for tool in self.tools if tool.family == name) for name in self.permitted}
        return Surface(families, families.get(META, ()))

    @property
    def recovery(self) -> tuple[RecoveryPath, ...]:
        """The ways to use an unloaded tool that work on this server."""
        return (RESTART, *LOADERS) if self.start.dynamic else (RESTART,)

    def is_loaded(self, tool: Tool) -> bool:
        """Whether the tool is advertised to the caller and can be called by its name."""
        return tool.family in self.permitted and tool.family in (*self.profile.families, META)

    def load(self, family: str) -> bool:
        """Load a family if the caller has a session. Returns whether the list of tools changed."""
        if self._loaded is None or family in (*self.profile.families, META):
            return False
        self._loaded.append(family)
        self.list_changed = True
        return True

    def family(self, name: str) -> str:
        """A family that the caller may use, by its name.

        Raises:
            CallerError: no family has this name, or the caller may not use it.
        """
        wanted = name.strip().casefold()
        if wanted in self.permitted:
            return wanted
        if wanted in FAMILIES and wanted != META:
            raise CallerError(
                f"family {wanted!r} is not permitted for this caller; permitted: {', '.join(self.permitted)}; "
                "use one of these, or ask the server's operator to change the allowlist"
            )
        raise unknown("family", name, self.permitted or (CORE,), "Call again with a known family.")

    def find(self, name: str) -> ServiceTool | SessionTool:
        """A tool that the caller may use, loaded or not.

        Raises:
            UnavailableToolError: it does not exist, or the caller may not use it.
        """
        tool = next((tool for tool in self._registered if tool.name == name), None)
        if tool is None or (tool.family == META and not self.start.dynamic):
            names = [tool.name for tool in self.tools]
            near = self._matcher.nearest(name, names)
            raise UnavailableToolError(
                "unknown_tool",
                f"unknown tool {brief(name)}; known: {', '.join(names)}; nearest: {', '.join(near)}; call one of these",
                nearest=near,
            )
        if tool.family not in self.permitted:
            raise UnavailableToolError(
                "not_permitted",
                f"tool {name!r} belongs to the family {tool.family!r}, which this caller may not use; permitted "
                f"families: {', '.join(self.permitted)}; use their tools, or ask the server's operator to change the "
                "allowlist",
                family=tool.family,
                permitted_families=list(self.permitted),
            )
        return tool

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """The answer of a tool that the caller may use, loaded or not.

        Raises:
            UnavailableToolError: it does not exist, or the caller may not use it.
            CallerError: the arguments do not fit the tool's schema or make no sense.
        """
        return self._run(self.find(name), arguments)

    def call_loaded(self, name: str, arguments: dict[str, Any]) -> Answer:
        """The answer of a tool that can be called by its name now.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, or it is not loaded.
            CallerError: the arguments do not fit the tool's schema or make no sense.
        """
        return self._run(self.find_loaded(name), arguments)

    def _run(self, tool: ServiceTool | SessionTool, arguments: dict[str, Any]) -> Answer:
        request = checked(tool, arguments)
        if isinstance(tool, ServiceTool):
            return tool.handler(self.service, request)
        return tool.handler(self, request)

    def find_loaded(self, name: str) -> ServiceTool | SessionTool:
        """A tool that can be called by its name now.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, or it is not loaded.
        """
        tool = self.find(name)
        if self.is_loaded(tool):
            return tool
        ways = [path.how for path in self._ways_to(tool)]
        raise UnavailableToolError(
            "not_loaded",
            f"tool {name!r} belongs to the family {tool.family!r}, which is not loaded; {'; or '.join(ways)}",
            family=tool.family,
            recovery=ways,
        )

    def _ways_to(self, tool: Tool) -> list[RecoveryPath]:
        """The recovery paths, filled in for one tool."""
        restart = RecoveryPath(f"restart the server with --profile {tool.family} or --profile {FULL}", "restart")
        if not self.start.dynamic:
            return [restart]
        call = RecoveryPath(f"call call_tool(name='{tool.name}', arguments=<object>)", "call")
        load = RecoveryPath(f"call load_family(family='{tool.family}')", "load")
        return [load, call, restart] if self.remembers else [call, restart]

    @property
    def matches_degraded(self) -> bool:
        """Whether intents are matched without the model."""
        return self._matcher.degraded

    def families_for(self, intent: str) -> list[FamilyMatch]:
        """Permitted families with the probability that each serves an intent, best first.

        Raises:
            CallerError: the intent is blank or too long.
        """
        self.service.check_length(intent)
        return [match for match in self._matcher.families(intent) if match.family in self.permitted]
