"""Who verifies an issuer's tokens, and what becomes of them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
import pytest
from mcp.server.auth.provider import AccessToken

from server.http.oauth import OAuthOptions, OAuthTokens
from tests.server.http.oauth.faults import ENDLESS
from tests.server.http.oauth.issuer import KEYS, RESOURCE, Issuer
from tests.server.http.oauth.signing import Key

PATIENCE = 60
"""Seconds after which a test that waits for something has failed, however busy the machine is."""


def tokens_of(issuer: Issuer, keys: str | None = None) -> OAuthTokens:
    return OAuthTokens(OAuthOptions(issuer.address, RESOURCE, keys=keys))


async def access(tokens: OAuthTokens, token: str) -> AccessToken:
    found = await tokens.verify_token(token)
    assert found is not None
    return found


def bogus(issuer: Issuer, kid: str = "unknown") -> str:
    """Return a token with a right header and right claims, of a key that the issuer never had."""
    return issuer.token(key=Key.new(kid))


@contextmanager
def given_up_soon(fault: str) -> Iterator[None]:
    """Yield a deadline that need not be waited for. Only for what never ends: a busy machine may miss it otherwise."""
    with pytest.MonkeyPatch.context() as changed:
        if fault in ENDLESS:
            changed.setattr("server.http.issuer_keys.DEADLINE", 0.2)
        yield


async def settled(answers: list[bool], count: int) -> None:
    """Wait until so many callers have their answer."""
    with anyio.fail_after(PATIENCE):
        while len(answers) < count:
            await anyio.sleep(0.01)


async def asked(issuer: Issuer, times: int, path: str = KEYS) -> None:
    """Wait until the issuer was asked so many times."""
    with anyio.fail_after(PATIENCE):
        while issuer.requests.count(path) < times:
            await anyio.sleep(0.01)


@asynccontextmanager
async def waiting(tokens: OAuthTokens, token: str, count: int = 1) -> AsyncIterator[list[bool]]:
    """Callers who bear a token meanwhile; for each that has its answer, whether it came in."""
    answers: list[bool] = []

    async def verify() -> None:
        answers.append(await tokens.verify_token(token) is not None)

    async with anyio.create_task_group() as group:
        for _ in range(count):
            group.start_soon(verify)
        yield answers
        group.cancel_scope.cancel()
