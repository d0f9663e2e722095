"""What the tools of this folder need from a session: the caller's tools, which are loaded, how to reach the rest.

`server.toolset.session` implements it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from server.tools.answers import Answer
from server.tools.definition import Tool
from server.tools.families import Families
from server.tools.meta.recovery import RecoveryPath
from server.tools.meta.surface import Naming, Profile, Surface
from server.tools.remote.definition import RemoteCall
from server.tools.remote.outages import Outage

Outcome = Answer | RemoteCall
"""What a call comes to: a tool's answer, or a call that is yet to be sent to another server."""


@dataclass(frozen=True)
class FamilyMatch:
    """A family that an intent may need.

    Attributes:
        family: its name.
        confidence: probability in [0, 1] that the intent needs one of its tools.
        tools: its tools with the probability of each, best first; empty if the intent is the family's name.
        named: whether the intent names it or these tools exactly; what else was found counts for callers that may use
            nothing of what was named.
    """

    family: str
    confidence: float
    tools: Mapping[str, float] = field(default_factory=dict)
    named: bool = False

    @property
    def best(self) -> str | None:
        """The tool that fits best; None if the intent is the family's name."""
        return next(iter(self.tools), None)


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
        """A tool that the caller may use, by its full name; None if there is none."""

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
        """Whether the tool is advertised to the caller and can be called by its name."""

    def load(self, family: str) -> bool:
        """Load a permitted family for the session. Returns whether the list of tools changed."""

    def family(self, name: str) -> str:
        """A family that the caller may use, by its name."""

    def families_for(self, intent: str) -> list[FamilyMatch]:
        """Permitted families with the probability that each serves an intent, best first."""

    def call(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """What a call comes to of a tool that the caller may use, loaded or not."""
