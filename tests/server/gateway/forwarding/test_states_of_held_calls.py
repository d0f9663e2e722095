"""Which call a state continues, and whose."""

from typing import Any

import mcp_types as types
import pytest

from tests.server.gateway.forwarding.booking import Booking, answers, begin, end, refused, send, serving
from tests.server.gateway.forwarding.fakes import text_of

pytestmark = pytest.mark.anyio


async def test_a_state_is_good_for_one_request() -> None:
    async with serving(Booking()) as connect, connect() as client:
        asked = await begin(client)
        await end(client, asked, "Lisbon")
        assert "no longer held" in refused(await end(client, asked, "Lisbon"))
    async with serving(Booking(rounds=2)) as connect, connect() as client:
        first = await begin(client)
        second = await begin(client, input_responses=answers(first, "Lisbon"), request_state=first.request_state)
        assert "no longer held" in refused(await end(client, first, "Faro"))
        assert text_of(await end(client, second, "Porto")) == "Lisbon Porto"


async def test_without_a_known_state_the_upstream_is_not_called() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        result = await send(client, request_state="of another process")
    assert isinstance(result, types.CallToolResult)
    assert "no longer held" in refused(result)
    assert booking.upstream.calls == []
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        result = await send(client, input_responses={"question-1": types.ElicitResult(action="decline")})
    assert isinstance(result, types.CallToolResult)
    assert "no longer held" in refused(result)
    assert booking.upstream.calls == []


async def test_the_state_of_another_call_is_refused_and_that_call_goes_on() -> None:
    async with serving(Booking()) as connect, connect("host") as client, connect("thief") as thief:
        asked = await begin(client)
        assert "belongs to another call" in refused(await end(thief, asked, "Faro"))
    async with serving(Booking()) as connect, connect("host") as client, connect("thief") as thief:
        asked = await begin(client)
        await end(thief, asked, "Faro")
        assert text_of(await end(client, asked, "Lisbon")) == "Lisbon"
    cases: list[dict[str, Any]] = [{"name": "cancel"}, {"arguments": {"seats": 3}}]
    for change in cases:
        async with serving(Booking()) as connect, connect() as client:
            asked = await begin(client)
            assert "belongs to another call" in refused(await end(client, asked, "Lisbon", **change)), change


async def test_states_are_never_alike() -> None:
    async with serving(Booking()) as connect, connect() as client:
        states = {(await begin(client)).request_state or "" for _ in range(4)}
    assert len(states) == 4
    assert min(map(len, states)) >= 43
