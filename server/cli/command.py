"""The installed command: runs `main` and ends the process with its exit status."""

import sys
import threading
from collections.abc import Sequence
from typing import Final, NoReturn

from server.cli.complaints import complain, wants_json
from server.cli.main import ANSWERED, FAULT, main
from server.cli.streams import open_missing_streams, written_out
from server.matching.matcher_provider import LOADER
from server.stopping import INTERRUPTED, leave

UNAWAITED: Final = (LOADER, "catalog-health")
"""Names of threads that work for seconds on what nobody will use: they load the matcher, or judge the catalog."""


def command(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (default: those of the process), then end the process."""
    open_missing_streams()
    try:
        status = main(arguments)
    except SystemExit as ending:
        if not isinstance(ending.code, int):
            raise
        status = ending.code
    except KeyboardInterrupt:
        # While options are parsed; `main` handles the rest.
        status = INTERRUPTED
    status = _after_writing(status, wants_json(sys.argv[1:] if arguments is None else arguments))
    if any(thread.name in UNAWAITED for thread in threading.enumerate()):
        leave(status)
    sys.exit(status)


def _after_writing(status: int, as_json: bool) -> int:
    """Flush the output and return the exit status. A reader that has gone is not a fault; a full disk is."""
    error = written_out(sys.stdout)
    if error and not isinstance(error, BrokenPipeError) and status == ANSWERED:
        complain(
            f"the answer cannot be written ({error}); standard output must take all of it; free space or redirect it",
            as_json,
        )
        status = FAULT
    written_out(sys.stderr)
    return status
