"""Fetches what an issuer publishes: its metadata and its key set. Limits keep any answer cheap to read."""

import asyncio
import json
import ssl
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from server.errors import brief
from server.http.oauth.options import is_safe_address

DEADLINE: Final = 5
"""Seconds for a whole fetch, including discovery, and the longest a caller waits. A healthy issuer needs a fraction of
one."""

MAX_DOCUMENT: Final = 256 * 1024
"""Bytes of a document. Key sets of large issuers, with certificates, take 20 KiB; 256 KiB are read within 25 ms."""

METADATA: Final = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
"""Paths at which an issuer publishes its JWKS URL (RFC 8414; OpenID Connect Discovery)."""


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
    """The `jwks_uri` of an issuer."""
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
