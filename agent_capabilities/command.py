"""The entry point of the `agent-capabilities` command.

The packages are loaded when this module is imported, not when the command runs, because the worker processes of
`--workers` import this module but run nothing else of their parent.
"""

import gc
import os
import signal
import threading
from typing import Final

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C; also `server.stopping.INTERRUPTED`, which cannot be imported before the packages."""

# Imports take a third of a second. Ctrl-C meanwhile would print a traceback through all of them.
_interruptible = (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
)
if _interruptible:
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

# Imports make objects that stay, and looking through them for garbage again and again takes a tenth of their time.
gc.disable()

from agent_capabilities.own_packages import load_own  # noqa: E402 -- imports come after Ctrl-C is taken care of

load_own()

from server.cli.main import command  # noqa: E402 -- only now is `server` sure to be this project's

gc.freeze()
gc.enable()
if _interruptible:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["command"]
