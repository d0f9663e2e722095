"""Useless and harmful answers of an issuer."""

import time
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

STATUS: Final = b"HTTP/1.1 200 OK\r\n"
HEAD: Final = STATUS + b"Content-Type: application/json\r\n\r\n"
MEBIBYTE: Final = 2**20
HUGE: Final = 64 * MEBIBYTE
"""Bytes of a document that nobody should read to its end."""

_PAUSE: Final = 0.05
"""Seconds between two bytes of a document that never ends: less than any timeout of a read."""


def hanging() -> Iterator[bytes]:
    """Nothing, for longer than anyone waits; in short pieces, so that the issuer can be closed."""
    while True:
        yield b""
        time.sleep(_PAUSE)


def dripping() -> Iterator[bytes]:
    """Yield a body that never ends."""
    yield HEAD
    while True:
        yield b" "
        time.sleep(_PAUSE)


def dripping_head() -> Iterator[bytes]:
    """Headers that never end."""
    yield STATUS
    while True:
        yield b"X-A: b\r\n"
        time.sleep(_PAUSE)


def huge() -> Iterator[bytes]:
    """JSON of many megabytes."""
    yield HEAD + b'{"keys": ['
    for _ in range(HUGE // MEBIBYTE):
        yield b"[]," * (MEBIBYTE // 3)
    yield b"[]]}"


def bomb() -> Iterator[bytes]:
    """JSON of many megabytes that is small until it is unpacked."""
    yield STATUS + b"Content-Encoding: deflate\r\n\r\n" + _packed()


@cache
def _packed() -> bytes:
    packing = zlib.compressobj()
    pieces = [packing.compress(b'{"keys": ['), *(packing.compress(b" " * MEBIBYTE) for _ in range(HUGE // MEBIBYTE))]
    return b"".join([*pieces, packing.compress(b"]}"), packing.flush()])


def leading_to(address: str) -> Callable[[], Iterator[bytes]]:
    """Yield a redirect."""

    def redirect() -> Iterator[bytes]:
        yield f"HTTP/1.1 302 Found\r\nLocation: {address}\r\nContent-Length: 0\r\n\r\n".encode()

    return redirect


DEEP: Final = b'{"keys": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
GARBAGE: Final[dict[str, Any]] = {
    "down": 503,
    "gone": 404,
    "a page": b"<html>",
    "nothing": b"",
    "no text": b'{"keys": "\xff\xfe"}',
    "half a document": b'{"keys": [',
    "an empty object": {},
    "a list": [],
    "no keys": {"keys": []},
    "keys as an object": {"keys": {}},
    "keys as a text": {"keys": "first"},
    "keys of wrong types": {"keys": [7, {}, None, [], {"kty": []}, {"kty": "EC", "kid": "first", "alg": ["ES256"]}]},
    "a shared secret": {
        "keys": [{"kty": "oct", "kid": "first", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"}]
    },
    "a key set in a key set": {"keys": {"keys": []}},
    "deep nesting": DEEP,
}
"""Answered at once."""

ENDLESS: Final[dict[str, Any]] = {"hanging": hanging, "dripping": dripping, "a dripping head": dripping_head}
LARGE: Final[dict[str, Any]] = {"huge": huge, "a bomb": bomb}
FAULTS: Final = GARBAGE | ENDLESS | LARGE
