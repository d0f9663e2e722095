"""Profiles: which families a server advertises when it starts."""

import os
from collections.abc import Iterable
from typing import Final

from server.errors import CallerError, brief
from server.tools.families import CHOOSABLE, CORE, FULL
from server.tools.meta.surface import Profile

PROFILE_VARIABLE: Final = "AGENT_CAPABILITIES_PROFILE"


def chosen_profile(flag: str | None) -> Profile:
    """The profile from the command line, else from the environment, else `core`.

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


def profile_of(families: Iterable[str]) -> Profile:
    """The profile that loads `core` and `families`, in the order of `CHOOSABLE`; `parse_profile` accepts its label."""
    wanted = {CORE, *families}
    loaded = tuple(family for family in CHOOSABLE if family in wanted)
    if loaded == CHOOSABLE:
        return Profile(FULL, loaded)
    return Profile(",".join(loaded[1:]) or CORE, loaded)
