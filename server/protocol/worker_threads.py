"""Runs work outside the event loop, a fixed number at a time, in turns."""

import asyncio
import contextlib
import contextvars
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from embeddings.ranking.pauses import on_pause

Answer = TypeVar("Answer")

TURN: Final = 0.05
"""Seconds after which work lets others go first. Most lookups end sooner, and so are not interrupted; a full window of
256 tokens takes 0.04 s."""

MAX_INTERRUPTED: Final = 64
"""Work that is interrupted at the same time; each keeps a thread, and with more of it no other is interrupted."""


class AbandonedError(BaseException):
    """Nobody waits for the work any more: its request was cancelled, or its time is up."""


class WorkerThreads:
    """Runs a fixed number of functions at a time; further calls wait in line.

    Queries pause between the texts that they embed (`embeddings.ranking.pauses`). Work that has had its turn then goes
    to the end of the line, so that one long request does not make all others wait. If nobody waits for its result any
    more, it ends in the pause. Other work cannot be stopped, and keeps its place until it ends.
    """

    def __init__(self, count: int) -> None:
        """Work on up to `count` calls at a time, in threads that are started when they are first needed."""
        self._pool = ThreadPoolExecutor(count + MAX_INTERRUPTED, thread_name_prefix="answer")
        self._lock = threading.Lock()
        self._free = count
        self._interrupted = 0
        self._line: deque[Callable[[], object]] = deque()

    async def run(self, function: Callable[..., Answer], *arguments: object) -> Answer:
        """Return the value of `function(*arguments)`, computed in a thread with the caller's context variables.

        Cancelling removes a call that still waits in line, and ends one that has started at its next pause.
        """
        work = _Work(self, contextvars.copy_context(), lambda: function(*arguments))
        self._begin_or_wait(lambda: self._pool.submit(work))
        try:
            answer: Answer = await asyncio.wrap_future(work.result)
        except asyncio.CancelledError:
            work.abandoned = True
            raise
        return answer

    def _begin_or_wait(self, begin: Callable[[], object]) -> None:
        with self._lock:
            if not self._free:
                self._line.append(begin)
                return
            self._free -= 1
        begin()

    def next(self) -> None:
        """Give the place of work that has ended, or is interrupted, to the first in line."""
        while True:
            with self._lock:
                if not self._line:
                    self._free += 1
                    return
                begin = self._line.popleft()
            # While the interpreter shuts down, no thread can be started, but those that wait must still end.
            with contextlib.suppress(RuntimeError):
                begin()
                return

    def interrupt(self) -> None:
        """Give the place of the current work to the first in line, if any, and wait at the end of the line."""
        with self._lock:
            if not self._line or self._interrupted >= MAX_INTERRUPTED:
                return
            resumed = threading.Event()
            self._line.append(resumed.set)
            self._interrupted += 1
        self.next()
        resumed.wait()
        with self._lock:
            self._interrupted -= 1


class _Work:
    """One call."""

    def __init__(self, threads: WorkerThreads, context: contextvars.Context, function: Callable[[], Any]) -> None:
        self.result: Future[Any] = Future()
        self.abandoned = False
        self._threads = threads
        self._context = context
        self._function = function
        self._since = 0.0

    def __call__(self) -> None:
        try:
            if self.result.set_running_or_notify_cancel():
                self._answer()
        finally:
            self._threads.next()

    def _answer(self) -> None:
        self._since = time.monotonic()
        self._context.run(on_pause, self._pause)
        try:
            answer = self._context.run(self._function)
        except BaseException as error:
            self.result.set_exception(error)
        else:
            self.result.set_result(answer)

    def _pause(self) -> None:
        if time.monotonic() - self._since >= TURN:
            self._threads.interrupt()
            self._since = time.monotonic()
        if self.abandoned:
            raise AbandonedError
