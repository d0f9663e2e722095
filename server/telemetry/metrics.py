"""Prometheus metrics of the server, at a path of their own."""

import os
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.http.addresses import METRICS
from server.http.requests import HttpObservation
from server.reloads import Reloaded
from server.telemetry.middleware import Observation

SHARED_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable of prometheus-client: folder in which the workers of one server share their metrics."""

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Histogram buckets: a lookup takes a few milliseconds, a request at most `--request-timeout`."""


class Metrics:
    """Counts observations. Labels take few values, none of which a client can make up."""

    def __init__(self) -> None:
        """Start at zero. On Linux, the process's memory, CPU time and open files are exported, too."""
        disable_created_metrics()  # type: ignore[no-untyped-call]
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "agent_capabilities_requests",
            "MCP requests by method, tool, outcome (ok, tool_error, cancelled or a JSON-RPC error code) and decision; "
            "those of the page have the method page, its endpoint as tool, and an HTTP status instead of a code",
            ["method", "tool", "outcome", "decision"],
            registry=registry,
        )
        self._seconds = Histogram(
            "agent_capabilities_request_seconds",
            "Seconds from an MCP request's arrival to its result",
            ["method", "tool"],
            buckets=SECONDS,
            registry=registry,
        )
        self._responses = Counter(
            "agent_capabilities_http_responses",
            "HTTP responses by status; 0 if the client had disconnected",
            ["status"],
            registry=registry,
        )
        self._reloads = Counter(
            "agent_capabilities_reloads",
            "Reloads of the catalog or the tokens by outcome (ok or failed); what was read before outlasts a failure",
            ["what", "outcome"],
            registry=registry,
        )

    def request(self, seen: Observation) -> None:
        """Count an MCP request."""
        tool = seen.tool or ""
        self._requests.labels(seen.method, tool, seen.outcome, seen.decision or "").inc()
        self._seconds.labels(seen.method, tool).observe(seen.seconds)

    def response(self, seen: HttpObservation) -> None:
        """Count an HTTP response."""
        self._responses.labels(str(seen.status)).inc()

    def reload(self, what: Reloaded, done: bool) -> None:
        """Count a reload."""
        self._reloads.labels(what, "ok" if done else "failed").inc()

    def route(self) -> Route:
        """`GET /metrics` in the text format that Prometheus scrapes, for all workers if they share a folder."""

        async def metrics(_: Request) -> Response:
            return Response(await run_in_threadpool(self._text), media_type=CONTENT_TYPE_LATEST)

        return Route(METRICS, metrics, methods=["GET"])

    def _text(self) -> bytes:
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared)
