"""The spans that a server sends to a collector."""

import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx2
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from server import package_version
from tests.server.faults.messages import ERAS, HELLO, TOOL, headers_of, lookup, message
from tests.server.faults.served import SECONDS, Served, running, until
from tests.server.http_server import free_port
from tests.server.stdio_process import answer_of, stdio_server
from tests.server.telemetry.collector import ODD, ODD_PHRASES, Collector, collecting, run_without

pytestmark = pytest.mark.processes

LATER: Final = {"OTEL_BSP_SCHEDULE_DELAY": "600000"}
"""Spans are sent when the server stops, and not before."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to stop a process with")


class Watched(NamedTuple):
    """A server that sends spans, and where they go."""

    served: Served
    process: subprocess.Popen[bytes]
    collector: Collector

    def span_of(self, era: str, method: str, params: dict[str, Any], **meta: str) -> Span:
        """Return the span of a request that is made now."""
        own = str(uuid.uuid4())
        sent = message(era, method, **params) | {"id": own}
        sent["params"] |= {"_meta": sent["params"].get("_meta", {}) | meta}
        headers = headers_of(era, method, params.get("name", params.get("uri")))
        httpx2.post(self.served.address, json=sent, headers=headers, timeout=SECONDS)
        until(lambda: bool(self.collector.of_request(own)), "a span")
        (span,) = self.collector.of_request(own)
        return span


@contextmanager
def serving(collector: Collector, folder: Path, *options: str, **environment: str) -> Iterator[Watched]:
    """Yield a server over HTTP in whose environment the collector stands."""
    served = Served(folder, ["--dynamic-tools", *options])
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (collector.environment | environment).items():
                patch.setenv(name, value)
            process = stack.enter_context(running(served))
        yield Watched(served, process, collector)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with collecting() as collector, serving(collector, tmp_path_factory.mktemp("spans"), "--otel") as watched:
        yield watched


@pytest.mark.parametrize("era", ERAS)
def test_a_request_over_http_has_a_span(watched: Watched, era: str) -> None:
    span = watched.span_of(era, "tools/call", lookup())
    assert span.name == f"tools/call {TOOL}"
    assert span.end_time_unix_nano > span.start_time_unix_nano
    assert not span.parent_span_id


@pytest.mark.parametrize("hello", [message(ERAS[0], "initialize", **HELLO), message(ERAS[1], "server/discover")])
def test_a_request_over_stdio_has_a_span_which_is_sent_before_the_server_ends(hello: dict[str, Any]) -> None:
    with collecting() as collector:
        with stdio_server("--otel", **collector.environment | LATER) as process:
            assert answer_of(process, hello)["result"]
            assert not collector.spans
        assert [span.name for span in collector.spans] == [hello["method"]]


@pytest.mark.parametrize("era", ERAS)
def test_the_span_of_a_client_is_the_parent(watched: Watched, era: str) -> None:
    span = watched.span_of(era, "tools/call", lookup(), traceparent=f"00-{'a' * 32}-{'b' * 16}-01")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == ("a" * 32, "b" * 16)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("method", "params"), ODD_PHRASES)
def test_no_part_of_a_span_holds_what_was_asked(watched: Watched, era: str, method: str, params: Any) -> None:
    assert ODD.encode() not in watched.span_of(era, method, params).SerializeToString()


def test_the_server_gives_its_name_and_version(watched: Watched) -> None:
    watched.span_of(ERAS[0], "ping", {})
    own = {"service.name": "agent-capabilities", "service.version": package_version()}
    assert all(own.items() <= sender.items() for sender in watched.collector.resources)


def test_the_environment_can_give_another_name() -> None:
    with collecting() as collector:
        with stdio_server("--otel", **collector.environment | {"OTEL_SERVICE_NAME": "mine"}) as process:
            answer_of(process, message(ERAS[0], "ping"))
        assert [sender["service.name"] for sender in collector.resources] == ["mine"]


def test_without_being_asked_to_a_server_over_stdio_sends_nothing() -> None:
    with collecting() as collector:
        with stdio_server(**collector.environment) as process:
            answer_of(process, message(ERAS[0], "ping"))
        assert collector.received == []


@posix
@pytest.mark.parametrize(
    ("options", "sent"),
    [((), set()), (("--otel",), {f"tools/call {TOOL}"}), (("--otel", "--workers", "2"), {f"tools/call {TOOL}"})],
)
def test_a_server_over_http_that_is_stopped_has_sent_its_spans_if_it_was_asked_to(
    tmp_path: Path, options: tuple[str, ...], sent: set[str]
) -> None:
    with collecting() as collector, serving(collector, tmp_path, *options, **LATER) as watched:
        assert watched.served.answers(ERAS[1])
        assert not collector.spans
        watched.process.terminate()
        watched.process.wait(SECONDS)
        assert {span.name for span in collector.spans} == sent


@posix
def test_a_server_over_stdio_that_is_stopped_sends_its_last_spans() -> None:
    with collecting() as collector:
        with stdio_server("--otel", **collector.environment | LATER) as process:
            answer_of(process, message(ERAS[0], "ping"))
            process.terminate()
        assert [span.name for span in collector.spans] == ["ping"]


@pytest.mark.parametrize("options", [[], ["--transport", "http"], ["--transport", "http", "--workers", "2"]])
@pytest.mark.parametrize("package", ["opentelemetry.sdk", "opentelemetry.exporter"])
def test_without_their_packages_the_command_says_what_to_install(
    tmp_path: Path, package: str, options: list[str]
) -> None:
    port = ["--port", str(free_port())] if options else []
    done = run_without(tmp_path, package, "serve", "--otel", *options, *port)
    assert (done.returncode, done.stdout) == (2, "")
    said = f"error: --otel .*'{package}[a-z_.]*' is not installed; .*; install them with: pip install .*\n"
    assert re.fullmatch(said, done.stderr)
