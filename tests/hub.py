"""A local server that behaves like the Hugging Face Hub for one repository, faults on demand included."""

import hashlib
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hub(ThreadingHTTPServer):
    """Serves files at /<owner>/<name>/resolve/<revision>/<file>, through a redirect to another host, ranges honoured.

    Attributes:
        files: content by name.
        cut: files whose next download breaks off half way.
        requests: method, path and range of every request.
    """

    daemon_threads = True

    def __init__(self, repository: str, revision: str, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repository = repository
        self.revision = revision
        self.files = files
        self.cut: set[str] = set()
        self.requests: list[tuple[str, str, str | None]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        self.server.requests.append((self.command, self.path, self.headers.get("Range")))
        expected = f"/{self.server.repository}/resolve/{self.server.revision}/"
        name = self.path.removeprefix(expected).removeprefix("/cdn/")
        content = self.server.files.get(name)
        if content is None or not self.path.startswith((expected, "/cdn/")):
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path.startswith(expected):
            self._redirect(name, content)
        else:
            self._send(name, content, with_body=with_body)

    def _redirect(self, name: str, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()
        self.send_response(302)
        self.send_header("Location", f"http://localhost:{self.server.server_port}/cdn/{name}")
        self.send_header("X-Repo-Commit", self.server.revision)
        self.send_header("X-Linked-Etag", f'"{digest}"')
        self.send_header("X-Linked-Size", str(len(content)))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, name: str, content: bytes, *, with_body: bool) -> None:
        start = 0
        if wanted := re.fullmatch(r"bytes=(\d+)-\d*", self.headers.get("Range") or ""):
            start = int(wanted[1])
        body = content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not with_body:
            return
        if name in self.server.cut:
            self.server.cut.discard(name)
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            self.connection.close()
        else:
            self.wfile.write(body)
