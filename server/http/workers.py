"""Serves one application in this process, or in several that a supervisor keeps alive."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Iterator
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

logger = logging.getLogger(__name__)

SECONDS_TO_STOP: Final = 3
"""Time for requests in flight when the server is stopped. An answer takes far less; supervisors wait 10 seconds."""

SECONDS_TO_ANSWER: Final = 30
"""Time for a worker to start, and to answer its supervisor; one that takes longer is replaced."""

READ_AT_ONCE: Final = 16 * 1024
"""Bytes read from a connection at a time. All chunks in one read are parsed before other requests are served: 2,700
chunks of one byte take 50 ms, and those in asyncio's default of 256 KiB take a second."""


MAX_HEAD: Final = 64 * 1024
"""Bytes of a request's first line and headers; tokens take a few thousand."""


class HttpConnection(H11Protocol):
    """A connection that is read `READ_AT_ONCE` bytes at a time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Limit the size of a read, then start."""
        # asyncio has no public API for this; other event loops read less at a time.
        if hasattr(transport, "max_size"):
            transport.max_size = READ_AT_ONCE
        super().connection_made(transport)


def _config(app: Starlette | str, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=HttpConnection,
        h11_max_incomplete_event_size=MAX_HEAD,
        log_config=None,
        timeout_graceful_shutdown=SECONDS_TO_STOP,
        server_header=False,
        **more,
    )


def run_here(app: Starlette, host: str, port: int) -> None:
    """Serve in this process until a signal stops it; requests in flight are then finished.

    Raises:
        OSError: the address cannot be listened on.
    """
    server = uvicorn.Server(_config(app, host=host, port=port))
    server.run(sockets=[bound(host, port)])
    if not server.started:
        raise SystemExit(1)


class _UntilLeft(uvicorn.Server):
    """uvicorn's server, except that it leaves signals to the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def run_until_left(app: Starlette, listening: socket.socket) -> None:
    """Serve until a signal ends the process, as the process handles it; requests in flight are not finished."""
    server = _UntilLeft(_config(app))
    server.run(sockets=[listening])
    if not server.started:
        raise SystemExit(1)


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket. A failure is an OSError, which the command reports like other faults."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=2048)
    listening.set_inheritable(True)
    shown = f"[{host}]" if ":" in host else host
    # Port 0 means any free port, so log the actual one.
    logger.info("listening on http://%s:%d", shown, listening.getsockname()[1])
    return listening


def run_workers(factory: str, host: str, port: int, workers: int) -> None:
    """Serve in several processes on one port; a process that dies is replaced.

    Args:
        factory: "module:function" that builds the application, called in each worker.
        host: address to listen on.
        port: port to listen on.
        workers: number of processes.

    Raises:
        OSError: the address cannot be listened on.
    """
    config = _config(
        factory,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        timeout_worker_healthcheck=SECONDS_TO_ANSWER,
    )
    _Supervisor(config, sockets=[bound(host, port)]).run()


class _Supervisor(Multiprocess):
    """uvicorn's supervisor, except that SIGHUP makes the workers reload the catalog instead of replacing them."""

    def keep_subprocess_alive(self) -> None:
        for process in self.processes:
            # Close this copy of the worker's pipe end, so that a death during a health check is noticed at once.
            process.child_conn.close()
        super().keep_subprocess_alive()

    def terminate_all(self) -> None:
        # A connection from now on would never be answered; refuse it, so that a proxy tries another server at once.
        for listening in self.sockets:
            listening.close()
        super().terminate_all()

    def handle_hup(self) -> None:
        for process in self.processes:
            if process.pid is not None and process.process.is_alive():
                os.kill(process.pid, signal.SIGHUP)
