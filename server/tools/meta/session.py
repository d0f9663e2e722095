"""The interface of sessions for the meta tools: the caller's tools, which are loaded, how to reach the rest.

`server.toolset.session` implements it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from embeddings.ranking.match_result import MatchResult
from server.tools.answers import Answer
from server.tools.definition import LocalTool, Tool
from server.tools.families import FULL, Families
from server.tools.meta.surface import Naming, Profile, Surface
from server.tools.remote_tool import Outage, RemoteCall


@dataclass(frozen=True)
class RecoveryPath:
    """One way to use a tool that is not loaded.

    Attributes:
        how: what to do, in technical words.
        kind: `restart` the server, `load` within the session, or `call` the tool without loading it.
        tool: the tool that this way takes; empty for a restart.
    """

    how: str
    kind: Literal["restart", "load", "call"]
    tool: str = ""


RESTART: Final = RecoveryPath(f"restart the server with --profile <family> or --profile {FULL}", "restart")
LOADERS: Final = (
    RecoveryPath("call load_family(family=<name>) — preferred", "load", "load_family"),
    RecoveryPath("call smart_load(intent='<plain language>') — easiest", "load", "smart_load"),
    RecoveryPath(
        "call call_tool(name=<tool>, arguments=<object>) — works even if tools/list never changes", "call", "call_tool"
    ),
)


Outcome = Answer | RemoteCall
"""Result of a call: a tool's answer, or a call that is yet to be sent to another server."""


class Session(Protocol):
    """One caller's view of the tools."""

    @property
    def families(self) -> Families:
        """Every family of the server."""

    @property
    def naming(self) -> Naming:
        """How people speak of the tools."""

    @property
    def outages(self) -> Mapping[str, Outage]:
        """Families, and single tools, of those permitted, that cannot be called now, and why."""

    @property
    def permitted(self) -> tuple[str, ...]:
        """Families that the caller may use, in order."""

    @property
    def restricted(self) -> bool:
        """Whether an allowlist applies."""

    @property
    def profile(self) -> Profile:
        """The families that are loaded now."""

    @property
    def tools(self) -> list[Tool]:
        """Every tool that the caller may use, loaded or not, in order."""

    def tool(self, name: str) -> Tool | None:
        """Return a tool that the caller may use, by its full name; None if there is none."""

    def permits_name(self, family: str, name: str) -> bool:
        """Return whether the caller may use something of a family, by its name."""

    @property
    def surface(self) -> Surface:
        """The names of these tools by family, and which are always on."""

    @property
    def recovery(self) -> tuple[RecoveryPath, ...]:
        """The ways to use an unloaded tool that work for this caller."""

    @property
    def matches_degraded(self) -> bool:
        """Whether intents are matched without the model."""

    def is_loaded(self, tool: Tool) -> bool:
        """Return whether the tool is advertised to the caller and can be called by its name."""

    def load(self, family: str) -> bool:
        """Load a permitted family for the session. Returns whether the list of tools changed."""

    def family(self, name: str) -> str:
        """Return a family that the caller may use, by its name."""

    def tools_for(self, need: str) -> MatchResult:
        """Find the permitted tools that serve a need; the id of each match is a tool's full name."""

    def call(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """Call a tool that the caller may use, loaded or not, and return its result."""


@dataclass(frozen=True, kw_only=True)
class SessionTool(LocalTool):
    """A tool that describes, loads or calls other tools for one caller.

    Attributes:
        handler: makes the answer, or the call of a remote tool, from the caller's session and a request.
    """

    handler: Callable[[Session, Any], Outcome]
