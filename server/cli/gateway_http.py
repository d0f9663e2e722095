"""`gateway --transport http`: builds the application from the options and runs it in this process."""

import argparse
from collections.abc import Callable
from dataclasses import replace

from starlette.applications import Starlette

from server.cli.serve_http_options import check_combinations, http_options, observers
from server.errors import CallerError
from server.gateway.gateway import Gateway, health_routes
from server.http.app import http_app
from server.http.requests import Deadline
from server.http.workers import run_here
from server.stopping import exit_on_sigterm, ignore_hang_up
from server.telemetry.middleware import RequestMiddleware


def serve_http(options: argparse.Namespace, opened: Callable[[], Gateway]) -> None:
    """Serve the gateway that `opened` makes until a signal stops the process.

    Raises:
        CallerError: the options conflict, or a file that they name cannot be used.
    """
    exit_on_sigterm()
    ignore_hang_up()
    if options.workers > 1:
        raise CallerError(
            f"--workers {options.workers} was given; a call that waits for a user's answer lives in one process, so a "
            "gateway has one worker; leave the option out"
        )
    if options.watch:
        raise CallerError(
            "--watch was given; a gateway takes up changes of its servers by itself, and its files at the start; "
            "leave the option out"
        )
    check_combinations(options)
    run_here(application(options, opened()), options.host, options.port)


def application(options: argparse.Namespace, served: Gateway) -> Starlette:
    """Build the application; its upstreams connect when it is started."""
    observed = observers(options)
    http = replace(http_options(options, observed), streams=True)
    names = frozenset({"search_tools", "call_tool", "capabilities"})
    server = served.server
    # Within the first, which makes spans, and around the gateway's own.
    server.middleware[1:1] = [
        RequestMiddleware(
            observed.requests,
            lambda method: method == "initialize" or server.get_request_handler(method) is not None,
            names,
        ),
        Deadline(),
    ]
    at_end: tuple[Callable[[], None], ...] = ()
    if options.otel:
        from server.telemetry.spans import send_spans

        at_end = (send_spans(),)
    return http_app(server, health_routes(served), http, served.running, at_end)
