"""Turns the options of `serve` into the observers of requests over HTTP."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.routing import Route

from server.errors import CallerError
from server.http.requests import HttpObserver
from server.telemetry.middleware import Observer
from server.telemetry.request_log import RequestLog

if TYPE_CHECKING:
    from server.telemetry.metrics import Metrics


@dataclass(frozen=True)
class Observers:
    """Functions that log and count requests.

    Attributes:
        requests: called after each MCP request.
        responses: called after each HTTP request.
        routes: endpoints that show what was counted.
    """

    requests: tuple[Observer, ...] = ()
    responses: tuple[HttpObserver, ...] = ()
    routes: tuple[Route, ...] = ()


def observers(options: argparse.Namespace) -> Observers:
    """The request log, and metrics if the options ask for them.

    Raises:
        CallerError: the package for metrics is not installed.
    """
    log = RequestLog(phrases=options.log_phrases)
    if not options.metrics:
        return Observers((log.request,), (log.refusal,))
    metrics = _metrics()
    return Observers((log.request, metrics.request), (log.refusal, metrics.response), (metrics.route(),))


def _metrics() -> "Metrics":
    try:
        from server.telemetry.metrics import Metrics
    except ModuleNotFoundError as error:
        raise CallerError(
            f"--metrics cannot be used because the package {error.name!r} is not installed; metrics need an optional "
            "package; install it with: pip install 'agent-capabilities[metrics]'"
        ) from error
    return Metrics()
