"""Reloads of files that a running server reads again: how each ended, and which of them are out of date."""

import threading
from collections.abc import Callable, Sequence
from typing import Literal

Reloaded = Literal["catalog", "tokens"]
"""What is read again when its files change."""


class Reloads:
    """Keeps what changed into something that cannot be used, so that what was read before still holds.

    Safe to share between threads.
    """

    def __init__(self, observers: Sequence[Callable[[Reloaded, bool], None]] = ()) -> None:
        """Start with everything as its files are.

        Args:
            observers: called after each reload with what was reloaded, and whether it could be.
        """
        self._observers = observers
        self._lock = threading.Lock()
        self._failed: set[Reloaded] = set()

    def report(self, what: Reloaded, *, done: bool) -> None:
        """Note how a reload ended."""
        with self._lock:
            (self._failed.discard if done else self._failed.add)(what)
        for observer in self._observers:
            observer(what, done)

    @property
    def failed(self) -> list[Reloaded]:
        """What is served as it was, because its files cannot be used as they are."""
        with self._lock:
            return sorted(self._failed)
