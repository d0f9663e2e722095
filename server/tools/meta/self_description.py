"""The two texts with which a tool surface describes itself: one for the model, one for its user."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Final

from server.tools.meta.recovery import RecoveryPath
from server.tools.meta.surface import Naming, Profile, Surface

LOADED_SHOWN: Final = 5
"""Maximum loaded tools that the sentence for the user names; the fixed phrasing has this number."""
UNLOADED_SHOWN: Final = 4
"""Maximum unloaded tools that it names; the fixed phrasing has this number."""

_LOADABLE: Final = "I can load them if you ask for something that needs them"
_RESTARTABLE: Final = "you can restart the server with a different profile"


def summary(
    surface: Surface,
    profile: Profile,
    naming: Naming,
    recovery: Sequence[RecoveryPath],
    holdings: Mapping[str, str] | None = None,
) -> str:
    """The text for the model: how many of all tools it sees, each way to use the others, and what families hold.

    Args:
        surface: all tools.
        profile: the families that are loaded.
        naming: not used; the model reads the full names, by which it calls tools.
        recovery: the ways to an unloaded tool that work here, in the order in which they are named.
        holdings: what each family holds, in a clause; families that it does not name are not described.
    """
    del naming
    total = len(surface.tools)
    visible = len(surface.visible(profile))
    ways = ", ".join(f"({letter}) {path.how}" for letter, path in zip(ascii_lowercase, recovery, strict=False))
    known = holdings or {}
    held = "; ".join(f"{name} — {known[name]}" for name in surface.families if name in known)
    return (
        f"{visible} of {total} tools are advertised in tools/list under the current profile ({profile.label}). "
        f"The other {total - visible} are listed in this manifest but NOT directly callable."
        + (f" Families: {held}." if held else "")
        + (f" To use any unloaded tool, choose one of: {ways}." if ways else "")
    )


def describe_to_user(surface: Surface, profile: Profile, naming: Naming, recovery: Sequence[RecoveryPath]) -> str:
    """The sentence to repeat to a user who asks which tools there are; free of protocol jargon.

    Tools that are always on serve the model, so neither count includes them.

    Args:
        surface: all tools.
        profile: the families that are loaded.
        naming: how users speak of the tools.
        recovery: the ways to an unloaded tool that work here.
    """
    visible = set(surface.visible(profile))
    told = [tool for tool in surface.tools if tool not in surface.always_on]
    loaded = [tool for tool in told if tool in visible]
    unloaded = [tool for tool in told if tool not in visible]
    ellipsis = ", ..." if len(loaded) > LOADED_SHOWN else ""
    named = _in_brackets(naming.plain(loaded)[:LOADED_SHOWN], ellipsis)
    plural = "" if len(loaded) == 1 else "s"
    if not told:
        return f"There are no {naming.noun} tools for me to use here."
    if not unloaded:
        return (
            f"I can directly use all {len(loaded)} {naming.noun} tool{plural} right now{named}. "
            f"Nothing more to load — the full {naming.noun} surface is already active."
        )
    others = _in_brackets(naming.plain(unloaded)[:UNLOADED_SHOWN], ", etc.")
    ways = [_LOADABLE] if any(path.kind != "restart" for path in recovery) else []
    ways += [_RESTARTABLE] if any(path.kind == "restart" for path in recovery) else []
    on_demand = f" are available on demand — {', or '.join(ways)}." if ways else " are not available here."
    return (
        f"I can directly use {len(loaded)} {naming.noun} tool{plural} right now{named}. "
        f"{len(unloaded)} more{others}{on_demand}"
    )


def _in_brackets(names: Sequence[str], ending: str) -> str:
    return f" ({', '.join(names)}{ending})" if names else ""
