"""The source of a server's tools: its offer at one moment, and notice of changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

from embeddings.ranking.match_result import MatchResult
from server.tools.definition import Tool
from server.tools.families import Families
from server.tools.meta.session import LOADERS, RESTART, RecoveryPath
from server.tools.meta.surface import NAMING, Naming
from server.tools.remote_tool import Outage

SEPARATOR: Final = "__"
"""Separator of a remote tool's family from its own name in its full name."""


class Permitted(Protocol):
    """The names that a caller may use; `server.toolset.permissions` decides."""

    @property
    def families(self) -> tuple[str, ...]:
        """The families, in order."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools, in order."""

    def permits_called(self, name: str) -> bool:
        """Return whether a tool has this full name and the caller may use it."""


class ToolFinder(Protocol):
    """Finds tools by meaning. Safe to share between threads."""

    @property
    def degraded(self) -> bool:
        """Whether tools are matched without the model or their vectors."""

    def find(self, intent: str, permitted: Permitted) -> MatchResult:
        """Find the permitted tools that serve an intent; each match has a tool's full name as id, or else as name.

        Raises:
            CallerError: the intent is blank or too long.
        """

    def nearest(self, name: str, known: Sequence[str], count: int = 3) -> list[str]:
        """Return the known names nearest to an unknown one."""


@dataclass(frozen=True)
class Offer:
    """The tools of a source at one moment. A request reads it once, so that one state answers the whole request.

    Attributes:
        tools: every tool, in order.
        families: the families of these, and of those that a server may yet bring.
        finder: finds these tools.
        naming: how people speak of them.
        service: what service tools answer from; None if there are none.
        ready: whether a call of a local tool is answered at once.
        outages: why tools cannot be called now, by family or by a tool's full name.
    """

    tools: Sequence[Tool]
    families: Families
    finder: ToolFinder
    naming: Naming = NAMING
    service: Any = None
    ready: bool = True
    outages: Mapping[str, Outage] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, Tool]:
        """The tools by their full names."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def used_families(self) -> frozenset[str]:
        """The families that have tools."""
        return frozenset(tool.family for tool in self.tools)

    @cached_property
    def by_own_name(self) -> Mapping[str, Sequence[Tool]]:
        """The tools by their names within their families."""
        found: dict[str, list[Tool]] = {}
        for tool in self.tools:
            found.setdefault(tool.own_name, []).append(tool)
        return found

    @property
    def recovery(self) -> tuple[RecoveryPath, ...]:
        """The ways to a tool that is not loaded."""
        restart = (RESTART,) if self.families.at_start else ()
        return (*restart, *(path for path in LOADERS if path.tool in self.by_name))

    def family_of(self, name: str) -> str | None:
        """Return the family in which a tool of this full name would be; None if no family is called so."""
        fitting = [family for family in self.families.holdings if name.startswith(family + SEPARATOR)]
        return max(fitting, key=len, default=None)


class ToolSource(Protocol):
    """Where a server's tools come from."""

    @property
    def changes(self) -> bool:
        """Whether its tools can change while it is served, and listeners are told so."""

    def offer(self) -> Offer:
        """Return the current offer; the same object until something changes.

        Called for each request on the event loop.
        """

    def prepare(self, delay: float) -> None:
        """Load in the background, after some seconds, what calls need; called whenever tools are listed."""

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` on the event loop after each change of what is listed, outages apart."""
