"""The start of a server: which tools it advertises to whom, and the profiles that choose them."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from server.errors import CallerError, brief
from server.tools.families import AGENT_FAMILIES, CHOOSABLE, FULL, Families
from server.tools.meta.surface import Profile
from server.toolset.permissions import Allowlist, pattern_of

PROFILE_VARIABLE: Final = "AGENT_CAPABILITIES_PROFILE"


def chosen_profile(flag: str | None) -> Profile:
    """Return the profile from the command line, else from the environment, else `core`.

    Raises:
        CallerError: it names a family that does not exist.
    """
    if flag is not None:
        return parse_profile(flag, "--profile")
    return parse_profile(os.environ.get(PROFILE_VARIABLE, ""), PROFILE_VARIABLE)


def parse_profile(text: str, origin: str = "profile") -> Profile:
    """Parse `core`, `full` or families separated by commas; blank and repeated items are dropped.

    Raises:
        CallerError: a name is unknown; names must be in lower case.
    """
    items = [item.strip() for item in text.split(",") if item.strip()]
    for item in items:
        if item not in (*CHOOSABLE, FULL):
            raise CallerError(
                f"{origin} names {brief(item)}; known: {', '.join((*CHOOSABLE, FULL))}, in lower case; "
                "give one or more of these, separated by commas"
            )
    return profile_of(CHOOSABLE if FULL in items else items)


def profile_of(families: Iterable[str], among: Families = AGENT_FAMILIES) -> Profile:
    """Return the profile that loads `families` and what every profile has, in the server's order.

    `parse_profile` accepts its label, where families can be chosen at the start.
    """
    wanted = {among.base, *families}
    loaded = tuple(family for family in among.choosable if family in wanted)
    if loaded and loaded == among.choosable:
        return Profile(FULL, loaded)
    return Profile(",".join(family for family in loaded if family != among.base) or among.base, loaded)


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
