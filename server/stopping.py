"""How the process ends: what signals do while no event loop handles them, and what runs before the end."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final, NoReturn

INTERRUPTED: Final = 130
"""Exit status of a process that was stopped with Ctrl-C."""

SECONDS_TO_LEAVE: Final = 5
"""Time that all actions of `before_leaving` together may take; a hung one must not keep the process alive."""

_before_leaving: list[Callable[[], object]] = []


def before_leaving(action: Callable[[], object]) -> None:
    """Register an action that `leave` runs before it ends the process; `leave` does not run `atexit` functions."""
    _before_leaving.append(action)


def leave(status: int) -> NoReturn:
    """End the process now, whatever its threads are doing.

    A normal exit would wait for a thread that reads standard input until a line arrives. It would also unwind a thread
    that loads the model while it runs C++ code, which aborts the process.
    """
    # In a thread of their own: a signal may have interrupted this thread while it held a lock that an action needs.
    actions = threading.Thread(target=_do_before_leaving, daemon=True)
    actions.start()
    actions.join(SECONDS_TO_LEAVE)
    for stream in (sys.stdout, sys.stderr):
        # The stream may be closed or broken, or a signal may have interrupted a write to it.
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            stream.flush()
    os._exit(status)


def exit_on_sigterm() -> None:
    """End the process normally on SIGTERM, which the first process of a container would otherwise ignore."""
    signal.signal(signal.SIGTERM, _exit)


def leave_on_signals() -> None:
    """Let SIGTERM and Ctrl-C end the process even while a thread waits for a line of standard input."""
    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    signal.signal(signal.SIGINT, lambda *_: leave(INTERRUPTED))


def ignore_hang_up() -> None:
    """Ignore SIGHUP, on systems that have it: before anything is served there is nothing to reload."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _do_before_leaving() -> None:
    for action in _before_leaving:
        action()


def _exit(*_: object) -> None:
    raise SystemExit(0)


def interrupt_behind(error: BaseException) -> bool:
    """Tell whether an interrupt led to an error: a native module interrupted while it starts raises ImportError."""
    cause = error.__cause__ or error.__context__
    return cause is not None and (isinstance(cause, KeyboardInterrupt) or interrupt_behind(cause))
