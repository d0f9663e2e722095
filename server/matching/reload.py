"""Reloads a changed catalog while the server runs: it is checked and its matcher loaded before it is served."""

import logging
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import anyio
import anyio.to_thread

from embeddings.errors import EmbeddingsError
from server.errors import CatalogError
from server.files import Stamp, file_stamp
from server.matching.encoders import EncoderLoader
from server.matching.label_service import LabelService, LiveService
from server.reloads import Reloads

logger = logging.getLogger(__name__)

Stamps = Mapping[Path, Stamp]
"""The stamp of each file that exists."""


class Origin(Protocol):
    """Where a service comes from; as a string, its path."""

    def open(self, loader: EncoderLoader, max_phrase: int | None) -> LabelService:
        """Return a service for the current files; its matcher is not loaded yet."""

    def files(self) -> list[Path]:
        """Return the files whose change makes another service, whether they exist or not."""


class Reloader:
    """Reloads the catalog of a live service. Safe to share between threads; one reload at a time."""

    def __init__(self, live: LiveService[Any], origin: Origin, reloads: Reloads | None = None) -> None:
        """Reload `origin`, from whose current files `live` was loaded; tell `reloads` how it ended."""
        self._live = live
        self._origin = origin
        self._reloads = reloads or Reloads()
        self._lock = threading.Lock()
        self._seen = self._stamps()

    @property
    def changed(self) -> bool:
        """Whether a file was written, replaced, added or removed since the last reload or attempt to reload."""
        return self._stamps() != self._seen

    def reload(self) -> bool:
        """Serve the current files. If they cannot be used, log why, and keep the old catalog.

        This takes seconds to a minute if the catalog must be embedded again; the old one answers until then.

        Returns:
            Whether the new catalog is served.
        """
        with self._lock:
            fresh = self._fresh()
            if fresh:
                self._live.current = fresh
                logger.info("the catalog was reloaded from %s", self._origin)
            self._reloads.report("catalog", done=fresh is not None)
            return fresh is not None

    def _fresh(self) -> LabelService | None:
        # Stamps are taken first, so that a file that changes while it is read is read again.
        try:
            self._seen = self._stamps()
            return self._opened()
        except (CatalogError, EmbeddingsError, OSError) as error:
            logger.error("the catalog was not reloaded: %s", error)
        except Exception:
            logger.exception("the catalog was not reloaded")
        return None

    def _opened(self) -> LabelService:
        old: LabelService = self._live.current
        fresh = self._origin.open(old.loader, old.max_phrase)
        fresh.take_from(old)
        matcher = fresh.matchers.load()
        matcher.try_out()
        if matcher.is_degraded and not old.matchers.get().is_degraded:
            raise CatalogError(
                f"the vectors of {str(self._origin)!r} could not be built; a catalog that matches by meaning is not "
                "replaced by one that cannot; the log says why"
            )
        return fresh

    def _stamps(self) -> Stamps:
        try:
            paths = self._origin.files()
        except OSError:
            return {}
        return {path: stamp for path in paths if (stamp := file_stamp(path))}


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
