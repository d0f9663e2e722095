"""`serve --transport http`: builds the application from the options and runs it in this process or in workers."""

import argparse
import json
import logging
import os
import tempfile
from collections.abc import Callable
from typing import Any, Final

from mcp.server.lowlevel import Server
from starlette.applications import Starlette

from embeddings.errors import PhraseBookError
from server.cli.options import chosen_loader, model_folder
from server.cli.serve_http_options import check_combinations, http_options, observers
from server.cli.serve_options import chosen_origin, chosen_start
from server.errors import CallerError, CatalogError
from server.http.app import health_routes, http_app
from server.http.requests import Deadline
from server.http.workers import run_here, run_workers
from server.matching.encoders import load_encoder_for_many
from server.matching.label_service import LiveService
from server.matching.reload import Reloader, reloading
from server.protocol.server import build_server
from server.stopping import ignore_hang_up
from server.telemetry.logs import configure_logging
from server.telemetry.middleware import RequestMiddleware
from server.toolset import registry
from server.toolset.toolset import warn_of_unserved

logger = logging.getLogger(__name__)

WORKER_OPTIONS: Final = "AGENT_CAPABILITIES_WORKER_OPTIONS"
"""Environment variable that passes the command's options to the workers, as JSON."""


def serve_http(options: argparse.Namespace) -> None:
    """Serve until a signal stops the process.

    Raises:
        CallerError: the options conflict, or a file that they name cannot be used.
        CatalogError: the data folder cannot be used.
        PhraseBookError: the catalog file cannot be used.
    """
    ignore_hang_up()
    check_combinations(options)
    if options.workers == 1:
        run_here(application(options), options.host, options.port)
        return
    # Build everything once here, so that an error is reported once, before any worker starts.
    model_folder(options)
    chosen_origin(options).open()
    http_options(options, observers(options))
    chosen_start(options)
    if options.otel:
        from server.telemetry.spans import check_packages

        check_packages()
    plain = {name: value for name, value in vars(options).items() if name != "run"}
    os.environ[WORKER_OPTIONS] = json.dumps(plain)
    with tempfile.TemporaryDirectory() as shared:
        if options.metrics:
            from server.telemetry.metrics import SHARED_FOLDER

            os.environ[SHARED_FOLDER] = shared
        run_workers("server.cli.serve_http:worker_application", options.host, options.port, options.workers)


def worker_application() -> Starlette:
    """Return the application of one worker.

    Raises:
        SystemExit: it cannot be built, for example because the catalog has become invalid since the start; the
            log says why. The supervisor tries again, and the running workers go on.
    """
    ignore_hang_up()
    options = argparse.Namespace(**json.loads(os.environ[WORKER_OPTIONS]))
    configure_logging(options.log_format or "json")
    try:
        return application(options)
    except (CallerError, CatalogError, PhraseBookError) as error:
        logger.error("a worker cannot start: %s", error)
        raise SystemExit(1) from error


def application(options: argparse.Namespace) -> Starlette:
    """Build the application of this process, and start to load its matcher."""
    loader = chosen_loader(options, load_encoder_for_many)
    origin = chosen_origin(options)
    live: LiveService[Any] = LiveService(origin.open(loader, options.max_phrase))
    server = build_server(
        live,
        start=chosen_start(options),
        sessions=options.sessions,
        at_once=max(1, (os.cpu_count() or 1) // options.workers),
    )
    observed = observers(options)
    http = http_options(options, observed)
    if options.web:
        from server.cli.serve_page import with_limits

        http = with_limits(http)
    server.middleware.append(
        RequestMiddleware(observed.requests, lambda method: _is_method(server, method), _tool_names())
    )
    if options.sessions:
        server.middleware.append(Deadline())
    at_end: tuple[Callable[[], None], ...] = ()
    if options.otel:
        from server.telemetry.spans import send_spans

        at_end = (send_spans(),)
    warn_of_unserved(server.toolset)
    live.current.matchers.start()
    reloader = Reloader(live, origin, observed.reloads)
    app = http_app(
        server, health_routes(live, observed.reloads), http, lambda: reloading(reloader, options.watch), at_end
    )
    if options.web:
        from server.cli.serve_page import add_page

        add_page(app, live, server.toolset, http, options, observed.requests)
    return app


def _is_method(server: Server[Any], method: str) -> bool:
    return method == "initialize" or server.get_request_handler(method) is not None


def _tool_names() -> frozenset[str]:
    return frozenset(tool.name for tool in registry.TOOLS)
