"""Profiles: which families a server advertises when it starts."""

import os
from collections.abc import Iterable
from typing import Final

from server.errors import CallerError, brief
from server.tools.families import AGENT_FAMILIES, CHOOSABLE, FULL, Families
from server.tools.meta.surface import Profile

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
