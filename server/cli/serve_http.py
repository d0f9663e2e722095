"""`serve --transport http`: from the command's options to an application, in this process or in workers."""

import argparse
import json
import logging
import os
import tempfile
from collections.abc import Callable
from typing import Any, Final

from mcp.server.lowlevel import Server
from starlette.applications import Starlette

from server.cli.serve_http_options import check_together, http_options
from server.cli.serve_observers import observers
from server.cli.serve_start import chosen_start
from server.errors import CallerError, CatalogError
from server.http.app import http_app
from server.http.workers import run_here, run_workers
from server.live_service import LiveService
from server.logs import configure_logging
from server.matcher_provider import load_encoder_for_many
from server.mcp_server import build_server
from server.observation.observe import Observe
from server.paths import data_folder
from server.reload import Reloader
from server.service import open_service
from server.stopping import ignore_hang_up
from server.tools import registry

logger = logging.getLogger(__name__)

WORKER_OPTIONS: Final = "AGENT_CAPABILITIES_WORKER_OPTIONS"
"""Environment variable by which workers get the command's options, as JSON."""


def serve_http(options: argparse.Namespace) -> None:
    """Serve until the process is told to stop.

    Raises:
        CallerError: options that do not go together, or a file of theirs that cannot be used.
        CatalogError: the data folder cannot be used.
    """
    ignore_hang_up()
    check_together(options)
    if options.workers == 1:
        run_here(application(options), options.host, options.port)
        return
    # Made once here, so that what is wrong is said once, before there are workers.
    open_service(data_folder(options.data))
    http_options(options, observers(options))
    chosen_start(options)
    if options.otel:
        from server.observation.telemetry import check_packages

        check_packages()
    plain = {name: value for name, value in vars(options).items() if name != "run"}
    os.environ[WORKER_OPTIONS] = json.dumps(plain)
    with tempfile.TemporaryDirectory() as shared:
        if options.metrics:
            from server.observation.metrics import SHARED_FOLDER

            os.environ[SHARED_FOLDER] = shared
        run_workers("server.cli.serve_http:worker_application", options.host, options.port, options.workers)


def worker_application() -> Starlette:
    """The application of one worker.

    Raises:
        SystemExit: it cannot be made, as when the data folder has turned bad since the start; the log says why. The
            supervisor tries again, and the workers that there are go on.
    """
    ignore_hang_up()
    options = argparse.Namespace(**json.loads(os.environ[WORKER_OPTIONS]))
    configure_logging(options.log_format or "json")
    try:
        return application(options)
    except (CallerError, CatalogError) as error:
        logger.error("a worker cannot start: %s", error)
        raise SystemExit(1) from error


def application(options: argparse.Namespace) -> Starlette:
    """The application of this process; its matcher is being loaded."""
    folder = data_folder(options.data)
    live = LiveService(open_service(folder, load_encoder_for_many, options.most_phrase))
    server = build_server(
        live,
        start=chosen_start(options),
        sessions=options.sessions,
        at_once=max(1, (os.cpu_count() or 1) // options.workers),
    )
    observed = observers(options)
    reached = http_options(options, observed)
    server.middleware.append(Observe(observed.requests, lambda method: _is_method(server, method), _tool_names()))
    at_end: tuple[Callable[[], None], ...] = ()
    if options.otel:
        from server.observation.telemetry import send_spans

        at_end = (send_spans(),)
    live.current.matchers.start()
    return http_app(server, live, Reloader(live, folder), reached, at_end)


def _is_method(server: Server[Any], method: str) -> bool:
    return method == "initialize" or server.get_request_handler(method) is not None


def _tool_names() -> frozenset[str]:
    return frozenset(tool.name for tool in registry.TOOLS)
