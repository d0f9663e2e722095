"""A local authorization server: its keys, its metadata, and the tokens that it signs."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import jwt

from tests.server.http.oauth.signing import Key
from tests.threaded_server import serving

RESOURCE: Final = "https://agents.example/mcp"
"""For which the tokens are unless they say otherwise."""

KEYS: Final = "/keys"
OAUTH: Final = "/.well-known/oauth-authorization-server"
OPENID: Final = "/.well-known/openid-configuration"


class Issuer(ThreadingHTTPServer):
    """Serves metadata and keys as JSON, and anything else as `documents` say.

    Attributes:
        address: of the issuer, as it stands in `iss`.
        keys: that it shows; the first signs.
        documents: by path: what is answered there; bytes as they are, a status alone, a function that yields the whole
            response piece by piece, or JSON.
        requests: paths that were asked for.
        sent: bytes of responses that were made piece by piece.
        silent: whether it takes requests and does not answer them.
    """

    daemon_threads = True

    def __init__(
        self, *, path: str = "", port: int = 0, metadata_at: str | None = None, key: Key | None = None
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site = f"http://127.0.0.1:{self.server_port}"
        self.address = self.site + path
        self.keys = [key or Key.new("first")]
        well_known = f"{OAUTH}{path}" if metadata_at is None else metadata_at
        self.documents: dict[str, Any] = {well_known: {"issuer": self.address, "jwks_uri": self.site + KEYS}}
        self.requests: list[str] = []
        self.sent = 0
        self.silent = False
        self.closing = threading.Event()

    def answer(self, path: str) -> Any:
        if path == KEYS and path not in self.documents:
            return {"keys": [key.public() for key in self.keys]}
        return self.documents.get(path, 404)

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Return the claims of a right token; claims changed to None are left out."""
        right = {"iss": self.address, "aud": RESOURCE, "sub": "ann", "exp": int(time.time()) + 600}
        return {name: value for name, value in (right | changed).items() if value is not None}

    def token(self, *, key: Key | None = None, headers: dict[str, Any] | None = None, **changed: Any) -> str:
        signing = key or self.keys[0]
        payload = json.dumps(self.claims(**changed)).encode()
        named = {"kid": signing.kid} | (headers or {})
        return jwt.api_jws.encode(payload, signing.private, signing.algorithm, headers=named)


class _Handler(BaseHTTPRequestHandler):
    server: Issuer

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""

    def do_GET(self) -> None:
        # As it was sent: the base class makes one slash of several.
        path = self.requestline.split()[1]
        self.server.requests.append(path)
        if self.server.silent:
            self.server.closing.wait(60)
            return
        found = self.server.answer(path)
        if callable(found):
            self._piece_by_piece(found())
            return
        content = found if isinstance(found, bytes) else b"" if isinstance(found, int) else json.dumps(found).encode()
        self.send_response(found if isinstance(found, int) else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _piece_by_piece(self, pieces: Iterator[bytes]) -> None:
        with contextlib.suppress(ConnectionError):
            for piece in pieces:
                if self.server.closing.is_set():
                    return
                self.wfile.write(piece)
                self.server.sent += len(piece)


@contextmanager
def issuing(issuer: Issuer) -> Iterator[Issuer]:
    with serving(issuer, issuer.closing.set):
        yield issuer
