"""A local server that speaks both vendors' protocols, with answers from a script, faults on demand included."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.server.providers.wire_shapes import Say, completion_of, error_of, message_of
from tests.threaded_server import serving

COMPLETIONS = "/v1/chat/completions"
MESSAGES = "/v1/messages"


@dataclass(frozen=True)
class Fail:
    """An error status."""

    status: int
    text: str = "the server is at fault"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A body as it is, with status 200."""

    body: str


@dataclass(frozen=True)
class Cut:
    """A good reply whose connection breaks off in the middle of the body."""


@dataclass(frozen=True)
class Hang:
    """No reply until the server closes."""


Reply = Say | Fail | Raw | Cut | Hang


@dataclass(frozen=True)
class Request:
    """A request that the server received."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The user's words."""
        return str(self.body["messages"][0]["content"])


class ModelServer(ThreadingHTTPServer):
    """Answers each prompt with the replies of its script in turn; the last one is repeated.

    Attributes:
        script: replies by the user's words.
        requests: everything that was asked.
        hanging: set once a request hangs.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: dict[str, Sequence[Reply]] = {}
        self.requests: list[Request] = []
        self.hanging = threading.Event()
        self.closing = threading.Event()
        self._lock = threading.Lock()

    def base_url(self, provider: str) -> str:
        """Return the address that the vendor's SDK takes: only one of the two adds the version itself."""
        return f"http://127.0.0.1:{self.server_port}" + ("/v1" if provider == "openai" else "")

    def asked(self, text: str) -> list[Request]:
        return [request for request in self.requests if request.text == text]

    def next_reply(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            replies = self.script[request.text]
            return replies[min(len(self.asked(request.text)), len(replies)) - 1]


@contextmanager
def running(server: ModelServer) -> Iterator[ModelServer]:
    with serving(server, server.closing.set):
        yield server


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        if self.path not in {COMPLETIONS, MESSAGES}:
            self._send(404, error_of("no such path"))
            return
        reply = self.server.next_reply(request)
        if isinstance(reply, Hang):
            self.server.hanging.set()
            self.server.closing.wait()
            self.close_connection = True
        elif isinstance(reply, Fail):
            self._send(reply.status, error_of(reply.text), reply.headers)
        elif isinstance(reply, Raw):
            self._send(200, reply.body)
        elif isinstance(reply, Cut):
            self._send(200, self._said(request, Say("cut off")), cut=True)
        else:
            self._send(200, self._said(request, reply))

    def _said(self, request: Request, said: Say) -> str:
        turn = len(request.body["messages"])
        shape = completion_of if request.path == COMPLETIONS else message_of
        return json.dumps(shape(said, request.body["model"], turn))

    def _send(self, status: int, text: str, headers: Mapping[str, str] | None = None, *, cut: bool = False) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | dict(headers or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if cut:
            self.close_connection = True
            body = body[: len(body) // 2]
        self.wfile.write(body)
