"""Calls that are held open while a caller of 2026-07-28 answers an upstream's questions."""

import mcp_types as types
import pytest

from tests.server.gateway.forwarding.booking import Booking, answers, begin, end, serving
from tests.server.gateway.forwarding.fakes import text_of

pytestmark = pytest.mark.anyio


async def test_the_answer_resumes_the_call_without_a_second_one() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        asked = await begin(client)
        assert text_of(await end(client, asked, "Lisbon")) == "Lisbon"
    assert booking.upstream.calls == ["book"]


async def test_a_call_can_ask_several_questions() -> None:
    async with serving(Booking(rounds=2)) as connect, connect() as client:
        first = await begin(client)
        second = await begin(client, input_responses=answers(first, "Lisbon"), request_state=first.request_state)
        assert text_of(await end(client, second, "Porto")) == "Lisbon Porto"
    async with serving(Booking(at_once=3)) as connect, connect() as client:
        asked = await begin(client)
        assert len(asked.input_requests or {}) == 3
        assert text_of(await end(client, asked, "Lisbon", "Porto", "Faro")) == "Lisbon Porto Faro"
    async with serving(Booking(at_once=2)) as connect, connect() as client:
        first = await begin(client)
        again = await begin(client, input_responses=answers(first, "Lisbon"), request_state=first.request_state)
        assert list(again.input_requests or {}) == list(first.input_requests or {})[1:]
        assert text_of(await end(client, again, "Porto")) == "Lisbon Porto"


async def test_progress_goes_to_the_request_that_waits_now() -> None:
    seen: list[str | None] = []

    async def before(progress: float, total: float | None, message: str | None) -> None:
        seen.append("first request")

    async def now(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message)

    async with serving(Booking()) as connect, connect() as client:
        asked = await begin(client, progress_callback=before)
        await end(client, asked, "Lisbon", progress_callback=now)
    assert seen == ["booked"]


async def test_reading_a_resource_can_ask_too() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        asked = await client.session.read_resource("gateway://travel/ask:", allow_input_required=True)
        assert isinstance(asked, types.InputRequiredResult)
        read = await client.session.read_resource(
            "gateway://travel/ask:",
            input_responses=answers(asked, "Lisbon"),
            request_state=asked.request_state,
            allow_input_required=True,
        )
    assert isinstance(read, types.ReadResourceResult)
    assert [getattr(part, "text", None) for part in read.contents] == ["accept"]
