"""The start of a server: which tools it advertises to whom."""

from dataclasses import dataclass

from server.tools.meta.surface import Profile
from server.toolset.permissions import Allowlist, pattern_of
from server.toolset.profiles import profile_of


@dataclass(frozen=True)
class Start:
    """How the server was started.

    Attributes:
        profile: families that are loaded at the start.
        dynamic: whether tools can be loaded on demand.
        full_wire: whether schemas in `tools/list` keep titles and descriptions.
        allowlist: which families each caller may use; None permits all to everyone.
        read_only: permit only tools that declare to change nothing.
        pinned: full names of tools that are advertised under any profile; `*` stands for any text.
    """

    profile: Profile = profile_of(())  # noqa: RUF009 -- a frozen value
    dynamic: bool = False
    full_wire: bool = False
    allowlist: Allowlist | None = None
    read_only: bool = False
    pinned: frozenset[str] = frozenset()

    def pins(self, tool: str) -> bool:
        """Return whether a tool of this name is advertised under any profile."""
        return bool(self.pinned) and pattern_of(self.pinned).fullmatch(tool) is not None
