"""Runs work outside the event loop, in a fixed number of threads."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")


class WorkerThreads:
    """Runs functions in a fixed number of threads; further calls wait in line.

    A thread cannot be stopped. If a request times out, its caller stops waiting, but the thread stays occupied until
    its work ends. So work that timed out never occupies more than `count` threads.
    """

    def __init__(self, count: int) -> None:
        """Start up to `count` threads, when they are first needed."""
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="answer")

    async def run(self, function: Callable[..., Answer], *arguments: object) -> Answer:
        """Return the value of `function(*arguments)`, computed in a thread with the caller's context variables.

        Cancelling removes a call that still waits in line; one that has started runs on, and its value is dropped.
        """
        context = contextvars.copy_context()
        return await asyncio.wrap_future(self._pool.submit(context.run, function, *arguments))
