"""Keys of the tests, and tokens that no library would make."""

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

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
        return self._shown(self.private.public_key()) | {"kid": self.kid, "alg": self.algorithm, "use": "sig"}

    def whole(self) -> dict[str, Any]:
        """With its private part, which an issuer should never show."""
        return self._shown(self.private) | {"kid": self.kid}

    def _shown(self, key: Any) -> dict[str, Any]:
        shown: dict[str, Any] = jwt.get_algorithm_by_name(self.algorithm).to_jwk(key, as_dict=True)
        return shown

    def signed(self, message: bytes) -> bytes:
        """Return a signature, of a key of any length."""
        signature: bytes = jwt.get_algorithm_by_name(self.algorithm).sign(message, self.private)
        return signature

    def public_pem(self) -> bytes:
        pem: bytes = self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return pem


def without_algorithm(key: Key) -> dict[str, Any]:
    """Return a public key that does not say how it signs."""
    return {name: value for name, value in key.public().items() if name != "alg"}


def written(header: object, claims: object, sign: Callable[[bytes], bytes] = lambda _: b"") -> str:
    """Return a token put together by hand, which no library would make."""
    parts = (value if isinstance(value, bytes) else json.dumps(value).encode() for value in (header, claims))
    start = b".".join(_part(part) for part in parts)
    return b".".join((start, _part(sign(start)))).decode()


def with_secret(header: object, claims: object, secret: bytes) -> str:
    """Return a token signed with a secret that both sides would share."""
    return written(header, claims, lambda start: hmac.digest(secret, start, "sha256"))


def _part(content: bytes) -> bytes:
    return urlsafe_b64encode(content).rstrip(b"=")
