"""From the options of `serve` to which tools it advertises to whom, whatever the transport."""

import argparse
from pathlib import Path

from server.allowlist import Allowlist
from server.profiles import chosen_profile
from server.start import Start


def chosen_start(options: argparse.Namespace) -> Start:
    """How the server is started.

    Raises:
        CallerError: a profile or an allowlist that cannot be used.
    """
    return Start(
        profile=chosen_profile(options.profile),
        dynamic=options.dynamic_tools,
        full_wire=options.wire == "full",
        allowlist=Allowlist.read(Path(options.allowlist)) if options.allowlist else None,
    )
