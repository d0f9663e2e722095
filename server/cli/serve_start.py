"""Turns the options of `serve` into the tools that it advertises, and to whom, over any transport."""

import argparse
from pathlib import Path

from server.toolset.allowlist import Allowlist
from server.toolset.profiles import chosen_profile
from server.toolset.start import Start


def chosen_start(options: argparse.Namespace) -> Start:
    """The options with which the server starts.

    Raises:
        CallerError: the profile or the allowlist cannot be used.
    """
    return Start(
        profile=chosen_profile(options.profile),
        dynamic=options.dynamic_tools,
        full_wire=options.wire == "full",
        allowlist=Allowlist.read(Path(options.allowlist)) if options.allowlist else None,
    )
