"""Observers of servers: a collector of spans and a reader of metrics, and the data that they must never see."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.parser import text_string_to_metric_families

from server.paths import shipped_data
from tests.server.faults.messages import HELLO, call, lookup
from tests.threaded_server import serving

ODD: Final = "zqjx"
"""Stands for whatever a client may make up."""

ODD_PHRASES: Final[Sequence[tuple[str, dict[str, Any]]]] = (
    ("tools/call", lookup(f"take {ODD} back")),
    ("tools/call", lookup(f'{ODD}\nERROR server: "{ODD}" \u2028 \x1b[31m')),
    ("tools/call", lookup(f"{ODD} " * 400)),
    ("tools/call", call("lookup_capability", agent=ODD, capability="Checkpoints")),
    ("tools/call", call("lookup_capability", **{ODD: ODD})),
    ("tools/call", call("smart_load", intent=f"help with {ODD}")),
    ("tools/call", {"name": "get_sources", "arguments": ODD}),
    ("resources/read", {"uri": f"capabilities://claude-code/{ODD}"}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": ODD}, "argument": {"name": ODD, "value": ODD}}),
)
"""Requests with something odd that is asked."""

ODD_NAMES: Final[Sequence[tuple[str, dict[str, Any]]]] = (
    ("tools/call", call("call_tool", name=ODD, arguments={ODD: ODD})),
    ("tools/call", call(ODD)),
    ("resources/read", {"uri": f"{ODD}://{ODD}"}),
    ("prompts/get", {"name": ODD}),
    ("initialize", HELLO | {"clientInfo": {"name": ODD, "version": ODD}, "protocolVersion": ODD}),
    (f"{ODD}/{ODD}", {ODD: ODD}),
)
"""Requests for something odd that there is not, or from somebody odd."""

ODD_HEADERS: Final = (
    *("X-Request-Id", "User-Agent", "Cookie", "Authorization", "Traceparent", "Content-Type", "Accept"),
    *("Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"),
)

Figures = dict[tuple[str, ...], float]
"""Values by the values of their labels, in the order of the labels' names."""


def figures(text: str, name: str) -> Figures:
    """Return the figures of one name in what a server shows to Prometheus."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for sample in samples
        if sample.name == name
    }


def run_without(folder: Path, package: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where a package cannot be imported, in its workers neither."""
    (folder / "sitecustomize.py").write_text(f"import sys; sys.modules[{package!r}] = None", encoding="utf-8")
    command = [sys.executable, "-m", "agent_capabilities", *arguments]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    root = shipped_data().parent
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, encoding="utf-8", timeout=30, check=False
    )


def attributes(pairs: Iterable[KeyValue]) -> dict[str, str]:
    """Attributes that are texts."""
    return {pair.key: pair.value.string_value for pair in pairs}


class Collector:
    """Takes spans over OTLP/HTTP and keeps them.

    Attributes:
        endpoint: where it listens; what a server sends there goes to /v1/traces.
        received: each export, in order.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.endpoint = f"http://127.0.0.1:{server.server_port}"
        self.received: list[ExportTraceServiceRequest] = []

    @property
    def resources(self) -> list[dict[str, str]]:
        """Attributes of each sender of spans."""
        return [attributes(spans.resource.attributes) for export in self.received for spans in export.resource_spans]

    @property
    def spans(self) -> list[Span]:
        senders = [spans for export in self.received for spans in export.resource_spans]
        return [span for spans in senders for scope in spans.scope_spans for span in scope.spans]

    def of_request(self, own: str) -> list[Span]:
        """Return the spans of the requests with an id."""
        return [span for span in self.spans if attributes(span.attributes).get("jsonrpc.request.id") == own]

    @property
    def environment(self) -> dict[str, str]:
        """Variables that make a server send its spans here, at once."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint, "OTEL_BSP_SCHEDULE_DELAY": "50"}


@contextmanager
def collecting() -> Iterator[Collector]:
    """Yield a collector that listens."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces":
                collector.received.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        collector = Collector(server)
        yield collector
