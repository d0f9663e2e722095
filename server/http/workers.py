"""Processes that serve one application: this one alone, or several that a supervisor keeps alive."""

import os
import signal
import socket
from typing import Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

SECONDS_TO_STOP: Final = 10
"""For what is in flight when the server is told to stop."""

SECONDS_TO_ANSWER: Final = 30
"""For a worker to answer its supervisor, and to start; one that does not is replaced."""


def run_here(app: Starlette, host: str, port: int) -> None:
    """Serve in this process until it is told to stop; what is in flight then is finished.

    Raises:
        OSError: it cannot listen there.
    """
    config = uvicorn.Config(
        app, host=host, port=port, log_config=None, timeout_graceful_shutdown=SECONDS_TO_STOP, server_header=False
    )
    server = uvicorn.Server(config)
    server.run(sockets=[_bound(host, port)])
    if not server.started:
        raise SystemExit(1)


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens; what keeps it from that is an OSError, and so a fault as others are."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=2048)
    listening.set_inheritable(True)
    return listening


def run_workers(factory: str, host: str, port: int, workers: int) -> None:
    """Serve in several processes on one port; one that dies is replaced.

    Args:
        factory: "module:function" that makes the application, called in each worker.
        host: address to listen on.
        port: its port.
        workers: how many processes.

    Raises:
        OSError: they cannot listen there.
    """
    config = uvicorn.Config(
        factory,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_config=None,
        timeout_graceful_shutdown=SECONDS_TO_STOP,
        timeout_worker_healthcheck=SECONDS_TO_ANSWER,
        server_header=False,
    )
    _Supervisor(config, sockets=[_bound(host, port)]).run()


class _Supervisor(Multiprocess):
    """uvicorn's own, but a worker that is told to reload does so by itself, and is not replaced."""

    def keep_subprocess_alive(self) -> None:
        for process in self.processes:
            # So that a worker that dies while it is asked is noticed at once.
            process.child_conn.close()
        super().keep_subprocess_alive()

    def terminate_all(self) -> None:
        # Nobody would answer who connects from now on; a proxy is to ask elsewhere at once.
        for listening in self.sockets:
            listening.close()
        super().terminate_all()

    def handle_hup(self) -> None:
        for process in self.processes:
            if process.pid is not None and process.process.is_alive():
                os.kill(process.pid, signal.SIGHUP)
