"""A local web site with pages that answer, moved, are gone, or fail."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.threaded_server import serving

REDIRECTS = {"/loop": (302, "/loop"), "/302-301": (302, "/301"), "/301-302": (301, "/302"), "/301-404": (301, "/404")}
REDIRECTS |= {f"/{status}": (status, "/ok") for status in (301, 302, 307, 308)}


class Gauge:
    """Counts requests under way and holds each until the expected number is there, and a while for one too many."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.running = self.peak = 0
        self._changed = threading.Condition()

    def hold(self) -> None:
        with self._changed:
            self.running += 1
            self.peak = max(self.peak, self.running)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.peak >= self.expected, 10)
            self._changed.wait_for(lambda: self.peak > self.expected, 0.1)
            self.running -= 1


class Site(ThreadingHTTPServer):
    """Answers /<status> with that status; /no-head refuses HEAD, /never does not answer, /hold is counted."""

    daemon_threads = True

    def __init__(self, gauge: Gauge | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.gauge = gauge
        self.closing = threading.Event()
        self.requests: list[tuple[str, str]] = []
        self.agents: set[str | None] = set()

    def page(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.server.requests.append((self.command, self.path))
        self.server.agents.add(self.headers.get("User-Agent"))
        if self.path == "/never":
            self.server.closing.wait(30)
            self.close_connection = True
            return
        if self.server.gauge:
            self.server.gauge.hold()
        status, location = REDIRECTS.get(self.path, (200, ""))
        if self.path == "/no-head" and self.command == "HEAD":
            status = 405
        elif not location and self.path[1:].isdecimal():
            status = int(self.path[1:])
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def running(site: Site) -> Iterator[Site]:
    with serving(site, site.closing.set):
        yield site
