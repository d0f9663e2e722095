"""From the options of `serve` to who is told of requests over HTTP."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.routing import Route

from server.errors import CallerError
from server.http.requests import HttpObserver
from server.observation.observe import Observer
from server.observation.request_log import RequestLog

if TYPE_CHECKING:
    from server.observation.metrics import Metrics


@dataclass(frozen=True)
class Observers:
    """Who is told of requests.

    Attributes:
        requests: of MCP.
        responses: of HTTP.
        routes: where what they were told can be read.
    """

    requests: tuple[Observer, ...] = ()
    responses: tuple[HttpObserver, ...] = ()
    routes: tuple[Route, ...] = ()


def observers(options: argparse.Namespace) -> Observers:
    """The log, and the metrics where they are wanted.

    Raises:
        CallerError: their package is not installed.
    """
    log = RequestLog(phrases=options.log_phrases)
    if not options.metrics:
        return Observers((log.request,), (log.refusal,))
    metrics = _metrics()
    return Observers((log.request, metrics.request), (log.refusal, metrics.response), (metrics.route(),))


def _metrics() -> "Metrics":
    try:
        from server.observation.metrics import Metrics
    except ModuleNotFoundError as error:
        raise CallerError(
            f"--metrics cannot be used, as the package of {error.name!r} is not installed; metrics are kept by a "
            "package of their own; install it with: pip install 'agent-capabilities[metrics]'"
        ) from error
    return Metrics()
