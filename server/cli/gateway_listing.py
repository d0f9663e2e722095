"""The tools of the servers of configurations, for the commands that print, judge or enrich them."""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio

from server.cli.gateway_run import configuration
from server.errors import CallerError
from server.gateway.listing import Listed, listed_tools
from server.telemetry.logs import log_warnings

_UPSTREAMS: Final = logging.getLogger("server.gateway.upstreams")


def listed_servers(files: Sequence[Path]) -> Listed:
    """Start the servers once and list their tools; stderr tells which did not answer.

    Raises:
        CallerError: a file cannot be used, or no server has a tool.
    """
    log_warnings()
    found = configuration(files)
    with _told_once():
        listed = anyio.run(listed_tools, found.upstreams)
    for told in listed.missing:
        print(told, file=sys.stderr)
    if not any(listed.tools.values()):
        raise CallerError(
            f"no server of {', '.join(map(str, files))} has answered with a tool; at least one tool is needed; correct "
            "the configuration, or name another file with --config"
        )
    return listed


@contextmanager
def _told_once() -> Iterator[None]:
    """Upstreams do not also log their states, which are told when all are known."""
    before = _UPSTREAMS.level
    _UPSTREAMS.setLevel(logging.ERROR)
    try:
        yield
    finally:
        _UPSTREAMS.setLevel(before)
