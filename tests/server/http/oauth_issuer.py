"""A local authorization server: its keys, its metadata, and the tokens that it signs."""

import hmac
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.threaded_server import serving

RESOURCE: Final = "https://agents.example/mcp"
"""For which the tokens are unless they say otherwise."""

KEYS: Final = "/keys"

_NEW: Final[dict[str, Callable[[], Any]]] = {
    "RS256": lambda: rsa.generate_private_key(65537, 2048),
    "PS256": lambda: rsa.generate_private_key(65537, 2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}


@dataclass(frozen=True)
class Key:
    """A private key with its name."""

    kid: str
    algorithm: str
    private: Any

    @classmethod
    def new(cls, kid: str, algorithm: str = "ES256") -> "Key":
        return cls(kid, algorithm, _NEW[algorithm]())

    def public(self) -> dict[str, Any]:
        """As it stands in a JWKS."""
        key: dict[str, Any] = jwt.get_algorithm_by_name(self.algorithm).to_jwk(self.private.public_key(), as_dict=True)
        return key | {"kid": self.kid, "alg": self.algorithm, "use": "sig"}

    def public_pem(self) -> bytes:
        pem: bytes = self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return pem


class Issuer(ThreadingHTTPServer):
    """Serves metadata and keys as JSON, and anything else as `documents` say.

    Attributes:
        address: of the issuer, as it stands in `iss`.
        keys: that it shows; the first signs.
        documents: by path: what is answered there; bytes as they are, a status alone, or JSON.
        requests: paths that were asked for.
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
        well_known = f"/.well-known/oauth-authorization-server{path}" if metadata_at is None else metadata_at
        self.documents: dict[str, Any] = {well_known: {"issuer": self.address, "jwks_uri": self.site + KEYS}}
        self.requests: list[str] = []
        self.silent = False
        self.closing = threading.Event()

    def answer(self, path: str) -> Any:
        if path == KEYS and path not in self.documents:
            return {"keys": [key.public() for key in self.keys]}
        return self.documents.get(path, 404)

    def claims(self, **changed: Any) -> dict[str, Any]:
        """What a right token says; what is changed to None is left out."""
        right = {"iss": self.address, "aud": RESOURCE, "sub": "ann", "exp": int(time.time()) + 600}
        return {name: value for name, value in (right | changed).items() if value is not None}

    def token(self, *, key: Key | None = None, headers: dict[str, Any] | None = None, **changed: Any) -> str:
        signing = key or self.keys[0]
        payload = json.dumps(self.claims(**changed)).encode()
        named = {"kid": signing.kid} | (headers or {})
        return jwt.api_jws.encode(payload, signing.private, signing.algorithm, headers=named)


def written(header: object, claims: object, sign: Callable[[bytes], bytes] = lambda _: b"") -> str:
    """A token put together by hand, which no library would make."""
    parts = (value if isinstance(value, bytes) else json.dumps(value).encode() for value in (header, claims))
    start = b".".join(_part(part) for part in parts)
    return b".".join((start, _part(sign(start)))).decode()


def with_secret(header: object, claims: object, secret: bytes) -> str:
    """A token signed with a secret that both sides would share."""
    return written(header, claims, lambda start: hmac.digest(secret, start, "sha256"))


def _part(content: bytes) -> bytes:
    return urlsafe_b64encode(content).rstrip(b"=")


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
        content = found if isinstance(found, bytes) else b"" if isinstance(found, int) else json.dumps(found).encode()
        self.send_response(found if isinstance(found, int) else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def issuing(issuer: Issuer) -> Iterator[Issuer]:
    with serving(issuer, issuer.closing.set):
        yield issuer
