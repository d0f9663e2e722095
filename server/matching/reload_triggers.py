"""Makes a running server reload its catalog: on a signal, and when one of its files has changed."""

import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread

from server.matching.reload import Reloader

logger = logging.getLogger(__name__)


@asynccontextmanager
async def reloading(reloader: Reloader, seconds: float | None) -> AsyncIterator[None]:
    """While the context is open, reload when triggered, without blocking the event loop.

    Args:
        reloader: reloads the catalog.
        seconds: time between checks of the files; None reloads only on SIGHUP, if the system has it.
    """
    async with anyio.create_task_group() as group:
        if hasattr(signal, "SIGHUP"):
            await group.start(_on_signal, reloader)
        if seconds is not None:
            group.start_soon(_on_change, reloader, seconds)
        yield
        group.cancel_scope.cancel()


async def _on_signal(
    reloader: Reloader, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    with anyio.open_signal_receiver(signal.SIGHUP) as signals:
        task_status.started()
        async for _ in signals:
            await anyio.to_thread.run_sync(reloader.reload)


async def _on_change(reloader: Reloader, seconds: float) -> None:
    while True:
        await anyio.sleep(seconds)
        if await anyio.to_thread.run_sync(lambda: reloader.changed):
            await anyio.to_thread.run_sync(reloader.reload)
