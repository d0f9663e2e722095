"""Pauses of a query between two texts that it embeds, in which whoever runs it can let other queries go first.

A query pauses only while it is in `pausable`: code that loads or builds a matcher also ranks and embeds, and others may
wait for it with a lock.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_ACTION: Final[ContextVar[Callable[[], object] | None]] = ContextVar("pause", default=None)
_PAUSABLE: Final[ContextVar[bool]] = ContextVar("pausable", default=False)


def on_pause(action: Callable[[], object]) -> None:
    """Set what is done in the pauses of the current context; what it raises ends the query."""
    _ACTION.set(action)


@contextmanager
def pausable() -> Iterator[None]:
    """Let the block pause; it holds nothing that other queries wait for."""
    token = _PAUSABLE.set(True)
    try:
        yield
    finally:
        _PAUSABLE.reset(token)


def pause() -> None:
    """Pause, if this is wanted and allowed here."""
    action = _ACTION.get()
    if action is not None and _PAUSABLE.get():
        action()
