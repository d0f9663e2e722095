"""The installed command: runs `main`, and ends the process with its status."""

import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

from server.cli.main import main
from server.matcher_provider import LOADER
from server.stopping import leave


def command(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command, of the process's arguments when left out, and end the process."""
    try:
        status = main(arguments)
    except SystemExit as ending:
        if not isinstance(ending.code, int):
            raise
        status = ending.code
    if any(thread.name == LOADER for thread in threading.enumerate()):
        leave(status)
    sys.exit(status)
