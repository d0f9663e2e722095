"""Another caller, who asks all the time while somebody else sends a heavy request."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import httpx2

from tests.server.faults.messages import ERAS, MEANT, capability_in, lookup, new_client, post_call
from tests.server.faults.served import Served


class Bystander:
    """Asks for health and for a capability in turns, and remembers the longest waits.

    Attributes:
        health: seconds of the longest wait for `/healthz`.
        lookup: seconds of the longest wait for a lookup.
    """

    def __init__(self, served: Served) -> None:
        self._served = served
        self._stopped = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._ask)
        self.health = self.lookup = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._stopped.set()
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def _ask(self) -> None:
        try:
            with new_client() as client:
                while not self._stopped.is_set():
                    self.health = max(self.health, _seconds(lambda: client.get(f"{self._served.site}/healthz")))
                    self.lookup = max(self.lookup, _seconds(lambda: self._look_up(client)))
        except Exception as error:
            self._failure = error

    def _look_up(self, client: httpx2.Client) -> None:
        # Of the era without sessions, whose answers are JSON on every server.
        assert capability_in(post_call(client, self._served.address, ERAS[1], lookup())) == MEANT


def _seconds(action: Callable[[], object]) -> float:
    start = time.monotonic()
    action()
    return time.monotonic() - start
