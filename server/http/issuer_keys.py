"""Caches the issuer's keys and decides when to fetch them. A caller waits for a fetch only if its key is not cached."""

import asyncio
import json
import logging
import math
import ssl
import time
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx2
import jwt
from jwt.algorithms import AllowedPublicKeys
from pydantic import AnyHttpUrl, TypeAdapter

from server.errors import brief

DEADLINE: Final = 5
"""Seconds for a whole fetch, including discovery. A healthy issuer needs a fraction of one."""

MAX_WAIT: Final = DEADLINE
"""Most seconds that a caller waits for a fetch."""

MAX_DOCUMENT: Final = 256 * 1024
"""Bytes of a document. Key sets of large issuers, with certificates, take 20 KiB; 256 KiB are read within 25 ms."""

METADATA: Final = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
"""Paths at which an issuer publishes its JWKS URL (RFC 8414; OpenID Connect Discovery)."""


THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")
"""Hosts that need no encryption, because the traffic stays on this machine."""

_URL: Final = TypeAdapter(AnyHttpUrl)


def is_safe_address(url: str) -> bool:
    """Return whether nobody between here and a URL can change its answers: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        _URL.validate_python(url)
    except ValueError:
        return False
    local = parts.scheme == "http" and parts.hostname in THIS_MACHINE
    return bool(parts.hostname) and (parts.scheme == "https" or local)


class IssuerError(Exception):
    """An issuer did not give a usable answer; the message says what happened."""


async def fetch_key_set(issuer: str, address: str | None) -> tuple[str, Any]:
    """Fetch an issuer's key set.

    Args:
        issuer: the issuer's URL.
        address: URL of its key set; None discovers it from the issuer's metadata.

    Returns:
        The URL of the key set, and the key set as JSON.

    Raises:
        IssuerError: there was no usable answer in time.
    """
    try:
        # One timeout for everything: a timeout per read would never end a response that trickles.
        async with asyncio.timeout(DEADLINE), _client() as client:
            found = address or await _discover(client, issuer)
            return found, await _read_json(client, found)
    except TimeoutError as error:
        raise IssuerError(f"the issuer {brief(issuer)} did not answer in full within {DEADLINE} seconds") from error


def _client() -> httpx2.AsyncClient:
    # Uncompressed, so that the bytes counted are the bytes held in memory.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    # A redirect could lead to a URL that is not safe.
    return httpx2.AsyncClient(verify=_authorities(), headers=headers, timeout=None, follow_redirects=False)


@cache
def _authorities() -> ssl.SSLContext:
    """Certificate authorities for https; loaded once, because that blocks the event loop for about 20 ms."""
    return httpx2.create_ssl_context()


async def _discover(client: httpx2.AsyncClient, issuer: str) -> str:
    """Return the `jwks_uri` of an issuer."""
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    for known in METADATA:
        # RFC 8414 puts the issuer's path after the well-known path, OpenID Connect before it.
        for address in dict.fromkeys((f"{base}{known}{path}", f"{base}{path}{known}")):
            try:
                metadata = await _read_json(client, address)
            except IssuerError:
                continue
            if isinstance(metadata, dict) and metadata.get("issuer") == issuer and "jwks_uri" in metadata:
                return _checked(metadata["jwks_uri"])
    raise IssuerError(f"the issuer {brief(issuer)} publishes no JWKS URL at {' or '.join(METADATA)}; give --oauth-keys")


def _checked(address: Any) -> str:
    if not isinstance(address, str) or not is_safe_address(address):
        raise IssuerError(
            f"the issuer names {brief(address)} as jwks_uri; it must be an https URL, or an http URL on this machine; "
            "correct the issuer's metadata, or give --oauth-keys"
        )
    return address


async def _read_json(client: httpx2.AsyncClient, address: str) -> Any:
    content = bytearray()
    try:
        async with client.stream("GET", address) as response:
            if response.status_code != 200:
                raise IssuerError(f"{address} answered with status {response.status_code}, not 200")
            async for piece in response.aiter_raw():
                content += piece
                if len(content) > MAX_DOCUMENT:
                    raise IssuerError(f"{address} answered with more than {MAX_DOCUMENT} bytes")
        return json.loads(content)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise IssuerError(f"{address} could not be read: {brief(error)}") from error
    except (ValueError, RecursionError) as error:
        raise IssuerError(f"{address} did not answer with valid JSON") from error


RSA_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
ALGORITHMS: Final = (*RSA_ALGORITHMS, "ES256", "ES384", "ES512", "EdDSA")
"""Only signatures made with a private key; never "none", nor an algorithm whose secret this server must share."""


class KeyName(NamedTuple):
    """Which key a token's header asks for.

    Attributes:
        kid: the key's id.
        algorithm: the signature algorithm, one of `ALGORITHMS`.
    """

    kid: str
    algorithm: str


KeySet = Mapping[KeyName, AllowedPublicKeys]


def read_key_set(document: Any) -> KeySet:
    """Return every key of a JWKS, under each name by which a token may ask for it; unusable keys are skipped.

    Raises:
        IssuerError: there is no usable key.
    """
    listed = document.get("keys") if isinstance(document, dict) else None
    keys: dict[KeyName, AllowedPublicKeys] = {}
    for entry in listed if isinstance(listed, list) else ():
        for name, key in _named(entry):
            keys.setdefault(name, key)
    if not keys:
        raise IssuerError("the issuer's key set holds no key that verifies signatures")
    return keys


def _named(entry: Any) -> Iterator[tuple[KeyName, AllowedPublicKeys]]:
    """Yield a key under each of its names; nothing for an entry that is not a public key for signatures."""
    if not isinstance(entry, dict) or entry.get("use") not in (None, "sig"):
        return
    kid = entry.get("kid")
    # Skip a private key: anyone who can read the key set could sign with it.
    if not isinstance(kid, str) or not kid or "d" in entry:
        return
    try:
        key = jwt.PyJWK(entry)
        too_short = key.Algorithm.check_key_length(key.key)
    except Exception:  # PyJWT raises nearly anything for members of wrong types; the other keys stay usable.
        return
    if too_short:
        return
    # An RSA key works with several algorithms unless it names one; other keys have one, given by their curve.
    any_rsa = key.key_type == "RSA" and not entry.get("alg")
    for algorithm in RSA_ALGORITHMS if any_rsa else (key.algorithm_name,):
        if algorithm in ALGORITHMS:
            yield KeyName(kid, algorithm), key.key


logger = logging.getLogger(__name__)

REFRESH: Final = 300
"""Seconds after which keys are fetched again; while the issuer answers, no withdrawn key is accepted for longer."""

KEEP: Final = 3600
"""Seconds for which keys are used when they cannot be fetched again: longer than most outages and tokens last."""

PAUSE: Final = 5
"""Seconds between a failed fetch and the next one, so that a failing issuer is not asked again for each token."""

UNKNOWN_PAUSE: Final = 30
"""Seconds between fetches for unknown keys, because anyone can make up a key's id."""

MAX_WAITING: Final = 32
"""Callers that may wait for a fetch while other keys are usable: a quarter of the default `--max-concurrency`, so that
made-up ids cannot use up all concurrent requests."""


class IssuerKeys:
    """Finds keys of one issuer. Fetches run in background tasks, one at a time, on one event loop."""

    def __init__(self, issuer: str, address: str | None = None) -> None:
        """Prepare; the first call of `find` fetches the keys.

        Args:
            issuer: URL of the authorization server.
            address: URL of its key set; None discovers it from the issuer's metadata.
        """
        self._issuer = issuer
        self._given = address
        self._address = address
        self._keys: KeySet = {}
        self._fetched = -math.inf
        self._ended = -math.inf
        self._fetch: asyncio.Task[None] | None = None
        self._waiting = 0

    async def find(self, name: KeyName) -> AllowedPublicKeys | None:
        """Return the key with a name; None if the issuer has no such key, or it cannot be fetched now."""
        key = self._held().get(name)
        if self._is_due(unknown=key is None):
            # In a background task, which goes on if the caller that needed the key disconnects.
            self._fetch = asyncio.create_task(self._renew())
        if key is None and self._fetch is not None and self._may_wait():
            await self._wait(self._fetch)
            key = self._held().get(name)
        return key

    def _held(self) -> KeySet:
        return self._keys if time.monotonic() - self._fetched < KEEP else {}

    def _is_due(self, *, unknown: bool) -> bool:
        now = time.monotonic()
        # This needs no check that the last fetch failed: after a successful one, nothing is due that soon anyway.
        if self._fetch is not None or now - self._ended < PAUSE:
            return False
        return now - self._fetched >= REFRESH or (unknown and now - self._ended >= UNKNOWN_PAUSE)

    def _may_wait(self) -> bool:
        # Without any key no caller can be served without a fetch, so all of them wait.
        return self._waiting < MAX_WAITING or not self._held()

    async def _wait(self, fetch: asyncio.Task[None]) -> None:
        self._waiting += 1
        try:
            # Does not cancel the fetch when this caller is cancelled.
            await asyncio.wait({fetch}, timeout=MAX_WAIT)
        finally:
            self._waiting -= 1

    async def _renew(self) -> None:
        try:
            self._address, document = await fetch_key_set(self._issuer, self._address)
            self._keys = read_key_set(document)
            self._fetched = time.monotonic()
        except Exception as error:  # Whatever failed, cached keys stay in use and the next fetch waits for its pause.
            # The JWKS URL may have changed, so discover it again.
            self._address = self._given
            self._log(error)
        finally:
            self._ended = time.monotonic()
            self._fetch = None

    def _log(self, error: Exception) -> None:
        reason = str(error) if isinstance(error, IssuerError) else brief(error)
        if self._held():
            age = time.monotonic() - self._fetched
            outcome = f"those fetched {age:.0f} seconds ago are used until they are {KEEP} seconds old"
        else:
            outcome = "no token can be verified until they are fetched"
        logger.error("could not fetch the keys of the issuer %s: %s; %s", brief(self._issuer), reason, outcome)
