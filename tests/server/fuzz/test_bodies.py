"""Bodies of every kind, in both eras, without sessions and with them."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from hypothesis import given

from tests.server.faults.messages import ERAS, HELLO, headers_of, message
from tests.server.fuzz.bodies import Body, bodies
from tests.server.fuzz.lane import fuzzed
from tests.server.fuzz.sender import Sender, sender_of
from tests.server.fuzz.values import written

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def headers_for(body: Body) -> dict[str, str]:
    return headers_of(body.era, body.method, body.name)


@pytest.fixture(scope="module")
async def sender(small: list[str]) -> AsyncIterator[Sender]:
    async with sender_of("bodies", *small) as sender:
        yield sender


@pytest.fixture(scope="module")
async def sender_with_sessions(small: list[str]) -> AsyncIterator[Sender]:
    async with sender_of("in sessions", *small, "--sessions") as sender:
        yield sender


@pytest.fixture(scope="module")
async def session(sender_with_sessions: Sender) -> AsyncIterator[dict[str, str]]:
    """Yield the header of a session, which outlives all that is sent in it."""

    async def send(method: str, params: dict[str, Any], more: dict[str, str]) -> httpx2.Response:
        request = written(message(ERAS[0], method, **params), True)
        return await sender_with_sessions.send(request, headers_of(ERAS[0], method) | more)

    session = {"Mcp-Session-Id": (await send("initialize", HELLO, {})).headers["mcp-session-id"]}
    yield session
    assert '"tools"' in (await send("tools/list", {}, session)).text


@fuzzed("bodies")
@given(body=bodies())
async def test_each_body_is_answered_or_refused(sender: Sender, body: Body) -> None:
    await sender.send(body.content, headers_for(body))


@fuzzed("in sessions")
@given(body=bodies())
async def test_each_body_in_a_session_is_answered_or_refused(
    sender_with_sessions: Sender, session: dict[str, str], body: Body
) -> None:
    await sender_with_sessions.send(body.content, headers_for(body) | (session if body.era == ERAS[0] else {}))
