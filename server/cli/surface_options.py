"""The options that say which tools a server advertises and in how much detail, of `serve` and of `eval`."""

import argparse
from typing import Any

from server.tools.families import CHOOSABLE, CORE, FULL
from server.toolset.allowlist import Allowlist
from server.toolset.profiles import PROFILE_VARIABLE, chosen_profile
from server.toolset.start import Start


def add_surface(group: Any) -> None:
    """Add the options to a command, or to a group of its options."""
    group.add_argument(
        "--profile",
        metavar="FAMILIES",
        help=f"tool families to advertise, joined by commas: {', '.join(CHOOSABLE)}, or {FULL} "
        f"(default: ${PROFILE_VARIABLE}, else {CORE})",
    )
    group.add_argument(
        "--dynamic-tools", action="store_true", help="add tools that describe the others and load them on demand"
    )
    add_wire(group)


def add_wire(group: Any) -> None:
    """Add the option for the detail of schemas."""
    group.add_argument(
        "--wire",
        choices=("trimmed", "full"),
        default="trimmed",
        help="full: tool schemas with descriptions; trimmed: without them (default: %(default)s)",
    )


def start_of(options: argparse.Namespace, allowlist: Allowlist | None = None) -> Start:
    """The start that the options choose.

    Raises:
        CallerError: the profile names a family that does not exist.
    """
    return Start(
        profile=chosen_profile(options.profile),
        dynamic=options.dynamic_tools,
        full_wire=options.wire == "full",
        allowlist=allowlist,
    )
