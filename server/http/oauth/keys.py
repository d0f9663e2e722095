"""Caches the issuer's keys and decides when to fetch them. A caller waits for a fetch only if its key is not cached."""

import asyncio
import logging
import math
import time
from typing import Final

from jwt.algorithms import AllowedPublicKeys

from server.errors import brief
from server.http.oauth.issuer import DEADLINE, IssuerError, fetch_key_set
from server.http.oauth.key_set import KeyName, KeySet, read_key_set

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
        """The key with a name; None if the issuer has no such key, or it cannot be fetched now."""
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
            await asyncio.wait({fetch}, timeout=DEADLINE)
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
