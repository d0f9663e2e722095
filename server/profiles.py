"""Profiles: which families a server advertises when it starts."""

import os
from collections.abc import Iterable
from typing import Final

from server.errors import CallerError, brief
from server.surface import Profile
from server.tools.families import CHOOSABLE, CORE

PROFILE_VARIABLE: Final = "AGENT_CAPABILITIES_PROFILE"
FULL: Final = "full"


def chosen_profile(flag: str | None) -> Profile:
    """The profile of the command line, else of the environment, else `core`.

    Raises:
        CallerError: it names a family that does not exist.
    """
    if flag is not None:
        return parse_profile(flag, "--profile")
    return parse_profile(os.environ.get(PROFILE_VARIABLE, ""), PROFILE_VARIABLE)


def parse_profile(text: str, origin: str = "profile") -> Profile:
    """A profile from `core`, `full` or families joined by commas; blank items and repetitions are dropped.

    Raises:
        CallerError: a name is unknown, or not in lower case as it stands in the list.
    """
    items = [item.strip() for item in text.split(",") if item.strip()]
    for item in items:
        if item not in (*CHOOSABLE, FULL):
            raise CallerError(
                f"{origin} names {brief(item)}; known: {', '.join((*CHOOSABLE, FULL))}, as they are written here; "
                "name one or several of these, joined by commas"
            )
    return profile_of(CHOOSABLE if FULL in items else items)


def profile_of(families: Iterable[str]) -> Profile:
    """The profile of some families: `core` is always in, the order is that of the list, the label could be given."""
    wanted = {CORE, *families}
    loaded = tuple(family for family in CHOOSABLE if family in wanted)
    if loaded == CHOOSABLE:
        return Profile(FULL, loaded)
    return Profile(",".join(loaded[1:]) or CORE, loaded)
