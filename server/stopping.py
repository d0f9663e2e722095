"""What signals do while nobody else listens to them."""

import signal


def stop_cleanly() -> None:
    """End the process as after its last command: what is registered to run at its end runs.

    The first process of a container would ignore the signal, and any other end without sending its last spans.
    """
    signal.signal(signal.SIGTERM, _exit)


def ignore_hang_up() -> None:
    """Let SIGHUP, where there is such a one, pass: there is nothing to read again before anything is served."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _exit(*_: object) -> None:
    raise SystemExit(0)
