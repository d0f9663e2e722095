"""A language model with scripted answers, as a local HTTP server that records what a host sends it."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from checks.model_apis import Answer, Api, Call, Say, api_of

_NOTHING_MORE: Final = Say("That is all.")


@dataclass(frozen=True)
class Step:
    """What the model does in one turn: it calls a tool, after something happened.

    Attributes:
        tool: the tool's own name; the host's name of it ends with this.
        arguments: of the call.
        before: called before the answer is sent, such as to end a server.
    """

    tool: str
    arguments: Mapping[str, Any]
    before: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Turn:
    """A request of the conversation itself.

    Attributes:
        at: seconds (`time.monotonic`) at which it arrived.
        tools: the offered tools by the names that the host gives them.
        results: the answers of tools so far.
        text: every text in the request, those of its tools included.
    """

    at: float
    tools: tuple[str, ...]
    results: tuple[str, ...]
    text: str

    def offers(self, tool: str) -> bool:
        """Return whether a tool is offered, by its own name."""
        return any(name.endswith(tool) for name in self.tools)


@dataclass
class FakeModel:
    """A running model.

    Attributes:
        steps: what it does in each turn; afterwards it says that this is all.
        turns: what it was sent.
        others: the paths of requests of other kinds, such as for a title.
    """

    steps: Sequence[Step] = ()
    turns: list[Turn] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    address: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, api: Api, path: str, body: dict[str, Any]) -> Answer:
        """Record a request, and return the answer to it."""
        tools = api.tools(body)
        with self._lock:
            # Titles and the like are asked for without tools.
            if not tools:
                self.others.append(path)
                return Say("A title")
            text = "\n".join(_texts(body))
            names = tuple(f"{space}__{name}" if space else name for space, name in tools)
            turn = Turn(time.monotonic(), names, tuple(api.results(body)), text)
            self.turns.append(turn)
            number = len(self.turns) - 1
        if number >= len(self.steps):
            return _NOTHING_MORE
        step = self.steps[number]
        step.before()
        for space, name in tools:
            if f"{space or ''}{name}".endswith(step.tool):
                return Call(name, step.arguments, space)
        return Say(f"I have no tool {step.tool}.")


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for part in content.values() if isinstance(content, dict) else content:
            yield from _texts(part)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: FakeModel

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        api = api_of(self.path)
        if api is None:
            self.model.others.append(self.path)
            self._send({"input_tokens": 1, "totalTokens": 1})
            return
        answer = self.model.answer(api, self.path, body)
        if body.get("stream") or ":stream" in self.path:
            self._send(api.answer(answer), "text/event-stream")
        else:
            self._send(api.whole(answer))

    def do_GET(self) -> None:
        self.model.others.append(self.path)
        self._send({"object": "list", "data": [], "models": []})

    def do_HEAD(self) -> None:
        self._send("")

    def _send(self, content: object, kind: str = "application/json") -> None:
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing: what arrives is in `turns` and `others`."""


@contextmanager
def fake_model(steps: Sequence[Step] = ()) -> Iterator[FakeModel]:
    """Yield a model that listens on a free local port."""
    model = FakeModel(steps)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": model}))
    server.daemon_threads = True
    model.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
