"""How the process ends: what signals do while nobody else listens to them, and what is done before the end."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final, NoReturn

INTERRUPTED: Final = 130
"""Status of a process that was stopped with Ctrl-C."""

SECONDS_TO_LEAVE: Final = 5
"""For what is done before the process leaves."""

_before_leaving: list[Callable[[], object]] = []


def before_leaving(action: Callable[[], object]) -> None:
    """Have something done before `leave` ends the process, which does not run what is registered with `atexit`."""
    _before_leaving.append(action)


def leave(status: int) -> NoReturn:
    """End the process now, whatever its threads are at.

    One that reads standard input would be waited for until there is a line; one that loads the model would be unwound
    in the midst of C++, which aborts.
    """
    # Apart, as a signal may have come while this thread held a lock that an action needs.
    doing = threading.Thread(target=_do_before_leaving, daemon=True)
    doing.start()
    doing.join(SECONDS_TO_LEAVE)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def stop_cleanly() -> None:
    """End the process as after its last command on SIGTERM, which the first process of a container would ignore."""
    signal.signal(signal.SIGTERM, _exit)


def leave_when_told() -> None:
    """Let SIGTERM and Ctrl-C end the process although a thread waits for a line of standard input."""
    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    signal.signal(signal.SIGINT, lambda *_: leave(INTERRUPTED))


def ignore_hang_up() -> None:
    """Let SIGHUP, where there is such a one, pass: there is nothing to read again before anything is served."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _do_before_leaving() -> None:
    for action in _before_leaving:
        action()


def _exit(*_: object) -> None:
    raise SystemExit(0)
